// Reads reports of any source, and finds values in them.
#include "harness/document.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <stdexcept>

namespace perigee::bench {
namespace {

using nlohmann::json;

std::string refusal(const std::string& text) {
  try {
    parse_report(text, "file");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

TEST_CASE("a text that is not a report is refused with a reason") {
  CHECK(refusal(R"({"experiment": "ttcp"})").empty());
  CHECK(refusal("").starts_with("file: is not valid JSON"));
  CHECK(refusal("{").starts_with("file: is not valid JSON"));
  CHECK(refusal("\xff\xfe").starts_with("file: is not valid JSON"));
  CHECK(refusal(R"({"experiment": "x", "a": 1e999})").starts_with("file: is not valid JSON"));
  CHECK(refusal("[]").find("is not a report") != std::string::npos);
  CHECK(refusal(R"({"experiment": 1})").find("is not a report") != std::string::npos);
}

TEST_CASE("a report that is nested too deeply is refused") {
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  CHECK(refusal(R"({"experiment": "x", "a": )" + deep + "}") ==
        "file: is nested deeper than 64 levels");
}

TEST_CASE("a file that cannot be read is an error with its name") {
  CHECK_THROWS_WITH_AS(read_report("/nowhere/report.json"),
                       "/nowhere/report.json: cannot be read: No such file or directory",
                       std::runtime_error);
  CHECK_THROWS_AS(read_report("/"), std::runtime_error);
}

const json document = json::parse(R"({
  "results": [{"version": "sock", "size": 8, "r": 1}, {"version": "C TCP", "size": 8, "r": 2},
              {"version": "sock", "size": 64, "r": 3}],
  "layers": {"orb": 4, "io": 5}})");

std::vector<int> numbers_at(const char* path) {
  std::vector<int> numbers;
  for (const json* value : values_at(document, path)) numbers.push_back(value->get<int>());
  return numbers;
}

TEST_CASE("the conditions of a path choose elements of an array") {
  CHECK(numbers_at("results|version=sock;size=8|r") == std::vector<int>{1});
  CHECK(numbers_at("results|version!=sock|r") == std::vector<int>{2});
  CHECK(numbers_at("results|version~TCP|r") == std::vector<int>{2});
  CHECK(numbers_at("results|*|r") == std::vector<int>{1, 2, 3});
}

TEST_CASE("a name chooses a field, and an exclamation mark the other fields") {
  CHECK(numbers_at("layers|orb") == std::vector<int>{4});
  CHECK(numbers_at("layers|!orb") == std::vector<int>{5});
}

TEST_CASE("a step that fits nothing gives no value") {
  for (const char* path : {"", "none", "results|r", "results|none=1|r", "layers|orb|deeper",
                           "results|version|r", "results|=|r", "||"})
    CHECK(numbers_at(path).empty());
}

}  // namespace
}  // namespace perigee::bench
