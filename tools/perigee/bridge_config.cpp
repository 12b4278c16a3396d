// Parses the TOML file of `perigee bridge --config`. bridge_arguments.cpp checks the keys.
#include "bridge_config.h"

#include "runtime/toml.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <system_error>
#include <utility>

namespace perigee::tool {

namespace {

using Kind = ConfigEntry::Kind;

std::expected<std::string, std::string> contents_of(const std::string& path) {
  errno = 0;  // a stream does not give the reason of a failure
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::unexpected(path + ": the file cannot be opened" +
                           (errno != 0 ? ": " + std::generic_category().message(errno) : ""));
  std::string text(bridge_config_size_max + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return std::unexpected(path + ": the file cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > bridge_config_size_max)
    return std::unexpected(path + ": the file is longer than " +
                           std::to_string(bridge_config_size_max) + " octets");
  return text;
}

std::string shortest(double number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), end.ptr};
}

/// False: the value has another type.
bool set_texts(ConfigEntry& entry, const toml::array& list) {
  entry.kind = Kind::texts;
  for (const toml::node& node : list) {
    const auto* const text = node.as_string();
    if (text == nullptr) return false;
    entry.values.push_back(text->get());
  }
  return true;
}

/// False: the value has a type that no option has.
bool set_value(ConfigEntry& entry, const toml::node& node) {
  if (const toml::array* const list = node.as_array()) return set_texts(entry, *list);
  if (const auto* const text = node.as_string()) {
    entry.values = {text->get()};
  } else if (const auto* const whole = node.as_integer()) {
    entry.kind = Kind::number;
    entry.values = {std::to_string(whole->get())};
  } else if (const auto* const number = node.as_floating_point()) {
    entry.kind = Kind::number;
    entry.values = {shortest(number->get())};
  } else if (const auto* const answer = node.as_boolean()) {
    entry.kind = Kind::yes_no;
    entry.values = {answer->get() ? "true" : "false"};
  } else {
    return false;
  }
  return true;
}

}  // namespace

const char* to_text(Kind kind) noexcept {
  switch (kind) {
    case Kind::text:
      return "a string";
    case Kind::texts:
      return "an array of strings";
    case Kind::number:
      return "a number";
    case Kind::yes_no:
      break;
  }
  return "a boolean";
}

std::expected<std::vector<ConfigEntry>, std::string> read_entries(const std::string& path) {
  const auto contents = contents_of(path);
  if (!contents) return std::unexpected(contents.error());
  const toml::parse_result parsed = toml::parse(*contents);
  if (!parsed)
    return std::unexpected(runtime::place_text(path, parsed.error().source()) + ": " +
                           std::string(parsed.error().description()));
  std::vector<ConfigEntry> entries;
  for (const auto& [key, node] : parsed.table()) {
    ConfigEntry entry{
        std::string(key.str()), Kind::text, {}, runtime::place_text(path, node.source())};
    if (!set_value(entry, node))
      return std::unexpected(entry.place + ": '" + entry.key + "' is " +
                             std::string(runtime::type_name(node)) +
                             (node.is_array() ? " with values that are not strings"
                                              : ", and no option has such a value"));
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace perigee::tool
