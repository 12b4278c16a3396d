// docs/limits.md agrees with the code: option, key, default and unit of each limit.
#include "runtime/config_file.h"
#include "runtime/option_table.h"
#include <perigee/cdr/typecode.h>
#include <perigee/orb/context.h>

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace perigee::runtime {

namespace {

std::string limits_document() {
  std::ifstream file(PERIGEE_SOURCE_FOLDER "/docs/limits.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_limit(const Option& option) {
  return option.key.starts_with("limits.") || option.key.starts_with("timeouts.");
}

// The row "| `-ORBX` | `limits.x` | 5 | octets |" that the code expects for an option.
std::string row_of(const Option& option) {
  const std::string unit(option.value.substr(1, option.value.size() - 2));
  return "| `-ORB" + std::string(option.name) + "` | `" + std::string(option.key) + "` | " +
         option.show(Configuration()) + " | " + unit + " |";
}

std::vector<std::string> rows_of(const std::string& document) {
  std::vector<std::string> rows;
  for (std::size_t at = 0; (at = document.find("\n| `-ORB", at)) != document.npos; ++at) {
    std::size_t end = at + 1;
    for (int column = 0; column < 4; ++column) end = document.find('|', end + 1);
    rows.push_back(document.substr(at + 1, end - at));
  }
  return rows;
}

}  // namespace

TEST_CASE("docs/limits.md lists each limit and time-out in order, with key, default and unit") {
  std::vector<std::string> expected;
  for (const Option& option : option_table())
    if (is_limit(option)) expected.push_back(row_of(option));
  CHECK(expected.size() > 25);
  CHECK(rows_of(limits_document()) == expected);
}

TEST_CASE("docs/limits.md has the limits that are fixed") {
  const std::string document = limits_document();
  const auto says = [&](const std::string& what, std::size_t limit) {
    const std::string row = "\n| " + what + " | " + std::to_string(limit) + " |";
    CHECK_MESSAGE(document.find(row) != document.npos, row);
  };
  says("TypeCodes inside each other", cdr::TypeLimits{}.depth_max);
  says("parts of one TypeCode", cdr::TypeLimits{}.nodes_max);
  says("octets of a TypeCode that the ORB encodes again", cdr::TypeLimits{}.octets_max);
  says("components of a profile", iop::IorLimits{}.components_max);
  says("values of a `Context` in a request", stub::context_values_max);
  says("octets of a configuration file", config_file_size_max);
}

// A configuration file must be able to contain each default.
TEST_CASE("each limit can be set to its default and to another number") {
  for (const Option& option : option_table()) {
    if (!is_limit(option)) continue;
    REQUIRE(option.kind == ValueKind::number);
    Configuration configuration;
    option.apply(configuration, option.show(Configuration()));
    CHECK(option.show(configuration) == option.show(Configuration()));
    option.apply(configuration, "4321");
    CHECK_MESSAGE(option.show(configuration) == "4321", option.name);
  }
}

}  // namespace perigee::runtime
