// Proposals for misspelt names.
#include "base/nearest_name.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace perigee {

TEST_CASE("the spelling distance counts inserted, deleted, replaced and swapped letters") {
  CHECK(spelling_distance("", "") == 0);
  CHECK(spelling_distance("", "abc") == 3);
  CHECK(spelling_distance("threads", "threads") == 0);
  CHECK(spelling_distance("threds", "threads") == 1);
  CHECK(spelling_distance("tthreads", "threads") == 1);
  CHECK(spelling_distance("thraeds", "threads") == 1);
  CHECK(spelling_distance("throads", "threads") == 1);
  CHECK(spelling_distance("kitten", "sitting") == 3);
}

TEST_CASE("upper case equals lower case in the spelling distance") {
  CHECK(spelling_distance("tracelevel", "TraceLevel") == 0);
  CHECK(nearest_name("traceLevel", std::vector<std::string>{"Threads", "TraceLevel"}) ==
        "TraceLevel");
}

TEST_CASE("the nearest name differs in at most a third of the letters") {
  const std::vector<std::string> names = {"borrowed", "ami", "amh", "async"};
  CHECK(nearest_name("borowed", names) == "borrowed");
  CHECK(nearest_name("asnyc", names) == "async");
  CHECK(nearest_name("amk", names) == "ami");  // the first of two
  CHECK(nearest_name("lent", names).empty());
  CHECK(nearest_name("borrowed", names).empty());  // a name is not its own nearest name
}

TEST_CASE("a proposal puts the given prefix before the name, and is empty without a near name") {
  const std::vector<std::string> names = {"json", "timeout"};
  CHECK(did_you_mean("jsn", names, "--") == "; did you mean '--json'?");
  CHECK(did_you_mean("timeuot", names) == "; did you mean 'timeout'?");
  CHECK(did_you_mean("address", names).empty());
}

TEST_CASE("very short and very long names have no nearest name") {
  CHECK(nearest_name("am", std::vector<std::string>{"ami"}).empty());
  const std::string longest(compared_name_size_max, 'a');
  CHECK(nearest_name(longest.substr(1), std::vector<std::string>{longest}) == longest);
  CHECK(nearest_name(longest, std::vector<std::string>{longest + 'a'}).empty());
  CHECK(nearest_name(longest + 'a', std::vector<std::string>{longest}).empty());
}

}  // namespace perigee
