// Prints the result of a command, as text for people or as JSON for programs.
#include "result.h"

#include <CLI/CLI.hpp>

#include <iostream>

namespace perigee::tool {

std::string json_line(const nlohmann::json& value) {
  constexpr int no_indent = -1;
  constexpr bool only_ascii = true;
  return value.dump(no_indent, ' ', only_ascii, nlohmann::json::error_handler_t::replace) + '\n';
}

void print(const Result& result, Format format) {
  if (format == Format::text)
    std::cout << result.text;
  else if (!result.json.is_null())
    std::cout << json_line(result.json);
  std::cout << std::flush;
}

void add_json_option(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "Print the result as one line of JSON, for programs");
}

}  // namespace perigee::tool
