// The result of a command, as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace perigee::tool {

enum class Format : std::uint8_t { text, json };

/// A command fills both parts, and prints one of them. docs/using.md lists the fields of the JSON.
struct Result {
  std::string text;     ///< lines
  nlohmann::json json;  ///< an object or an array; null: there is no result
};

/// `value` as one line of ASCII. Octets that are not UTF-8 become U+FFFD.
std::string json_line(const nlohmann::json& value);

/// Writes one part of the result to standard output.
void print(const Result& result, Format format);

/// Gives a command the option --json. `json` must live as long as the command.
void add_json_option(CLI::App& command, bool& json);
inline Format format_of(bool json) { return json ? Format::json : Format::text; }

}  // namespace perigee::tool
