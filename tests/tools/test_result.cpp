// Results of commands as JSON.
#include "result.h"

#include <doctest/doctest.h>

using namespace perigee::tool;

TEST_CASE("a result is one line of ASCII, whatever its texts contain") {
  CHECK(json_line({{"b", "two\nlines"}, {"a", "\xc3\xa9"}}) ==
        "{\"a\":\"\\u00e9\",\"b\":\"two\\nlines\"}\n");
  CHECK(json_line(nlohmann::json::array()) == "[]\n");
}

TEST_CASE("octets that are not UTF-8 are replaced") { CHECK(json_line("\xff") == "\"\\ufffd\"\n"); }
