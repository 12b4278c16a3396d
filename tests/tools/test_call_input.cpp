// The limits of JSON that `perigee call` reads.
#include "call/json_error.h"
#include "call/json_input.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

namespace perigee::tool {

namespace {

constexpr JsonLimits small{.octets_max = 1 << 20, .values_max = 6, .members_max = 2};

std::string mistake_in(const std::string& text) {
  try {
    (void)parse_json(text, "input", small);
    return "none";
  } catch (const JsonError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("members keep their order") {
  CHECK(parse_json(R"({"b":1,"a":[2,"x"]})", "input").dump() == R"({"b":1,"a":[2,"x"]})");
}

TEST_CASE("the members of each object have a limit") {
  CHECK(mistake_in(R"({"a":{"b":1,"c":2},"d":3})") == "none");
  CHECK(mistake_in(R"({"a":{"b":1,"c":2,"e":4}})") == "input: an object has more than 2 members");
  CHECK(mistake_in(R"({"a":1,"b":[],"c":1})") == "input: an object has more than 2 members");
}

TEST_CASE("all values together have a limit") {
  CHECK(mistake_in("[1,2,3,4,5]") == "none");
  CHECK(mistake_in("[1,2,3,[],{},\"\"]") ==
        "input: the JSON has more than 6 values; send it by a program");
}

TEST_CASE("each value counts once, also the objects of an array") {
  std::string text = "[{}";
  for (int count = 1; count < 10'000; ++count) text += ",{}";
  text += ']';
  CHECK(parse_json(text, "input", {.values_max = 10'001}).size() == 10'000);
  CHECK_THROWS_AS((void)parse_json(text, "input", {.values_max = 10'000}), JsonError);
}

// The test takes longer than its time limit if the end of each object searches the array.
TEST_CASE("the time for an array of objects is proportional to its length") {
  std::string text = "[[{}";
  for (int count = 1; count < 1'000'000; ++count) text += ",{}";
  text += "]]";
  CHECK(parse_json(text, "input").front().size() == 1'000'000);
}

TEST_CASE("the comparisons of names have a limit for all objects together") {
  constexpr JsonLimits three{.comparisons_max = 3};
  CHECK(parse_json(R"({"a":{"b":1},"c":2,"d":3})", "input", three).size() == 3);
  CHECK(parse_json(R"([{"a":1,"b":2},{"a":1,"b":2},{"a":1,"b":2}])", "input", three).size() == 3);
  const std::string error =
      "input: the objects need more than 3 comparisons of the names of their members; send them "
      "by a program";
  CHECK_THROWS_WITH_AS((void)parse_json(R"([{"a":1,"b":2,"c":3},{"a":1,"b":2}])", "input", three),
                       error.c_str(), JsonError);
  const std::string longer = R"({"a":1,")" + std::string(192, 'n') + R"(":2})";
  CHECK_THROWS_WITH_AS((void)parse_json(longer, "input", three), error.c_str(), JsonError);
}

TEST_CASE("text that is not JSON has its place in the error") {
  CHECK(mistake_in("[1,").starts_with("input: parse error at line 1, column"));
  CHECK(mistake_in("[1e999]").starts_with("input: number overflow"));
}

TEST_CASE("a stream without an end is read up to the limit") {
  std::istringstream fits(std::string(1 << 20, ' '));
  CHECK(read_json_text(fits, "input", small).size() == 1 << 20);
  std::istringstream larger(std::string((1 << 20) + 1, ' '));
  CHECK_THROWS_WITH_AS((void)read_json_text(larger, "input", small),
                       "input: the JSON has more than 1 MiB; send it by a program", JsonError);
}

}  // namespace perigee::tool
