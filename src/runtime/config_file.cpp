// The one source that includes toml++: it parses, and the option table says what may be there.
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
// A wrong file is no reason to abort, nor for the compiler to assume that there is none: the parser
// (3.3.0) asserts what text from outside decides.
#undef NDEBUG
#define TOML_ASSERT(condition) static_cast<void>(0)
#include "runtime/config_file.h"

#include <perigee/orb/exceptions.h>

#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <ranges>
#include <set>
#include <utility>

namespace perigee::runtime {

namespace {

// Keys may hold any character: a file cannot forge lines of a log.
[[noreturn]] void raise(std::string text) {
  std::ranges::replace_if(
      text, [](char octet) { return static_cast<unsigned char>(octet) < ' ' || octet == 0x7f; },
      '?');
  throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, std::move(text));
}

std::string_view table_of(const Option& option) {
  return option.key.substr(0, option.key.find('.'));
}

bool is_in_files(const Option& option) { return option.kind != ValueKind::none; }

// "a, b, c", each once, in the order of the table.
std::string list_names(auto&& name_of, auto&& chosen) {
  std::string names;
  std::set<std::string_view> known;
  for (const Option& option : option_table() | std::views::filter(is_in_files)) {
    if (!chosen(option) || !known.insert(name_of(option)).second) continue;
    names += (names.empty() ? "" : ", ") + std::string(name_of(option));
  }
  return names;
}

std::string_view needed(ValueKind kind) noexcept {
  switch (kind) {
    case ValueKind::number:
      return "a whole number is needed";
    case ValueKind::texts:
      return "a string, or an array of strings, is needed";
    case ValueKind::named_texts:
      return "a table of strings is needed";
    case ValueKind::text:
    case ValueKind::none:
      break;
  }
  return "a string is needed";
}

std::string_view type_name(const toml::node& node) noexcept {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a floating-point number";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

/// One file: its tables, and what the option table says of their entries.
class ConfigReader {
 public:
  ConfigReader(const std::string& name, const ConfigurationFor& configuration_for)
      : name_(name), configuration_for_(configuration_for) {}

  void read(const toml::table& file) {
    for (const auto& [key, node] : file) {
      if (const Option* const option = find(key.str()))
        apply(*option, node);
      else
        read_table(key, node);
    }
  }

 private:
  [[noreturn]] void complain(const toml::source_region& source, const std::string& what) const {
    raise(name_ + ":" + std::to_string(source.begin.line) + ":" +
          std::to_string(source.begin.column) + ": " + what);
  }

  static const Option* find(std::string_view key) {
    const auto found = std::ranges::find(option_table(), key, &Option::key);
    return found != option_table().end() && is_in_files(*found) ? &*found : nullptr;
  }

  void read_table(const toml::key& key, const toml::node& node) {
    const std::string table(key.str());
    const auto in_table = [&table](const Option& option) { return table_of(option) == table; };
    if (std::ranges::none_of(option_table() | std::views::filter(is_in_files), in_table))
      complain(key.source(), "there is no table '" + table + "'; there are: " +
                                 list_names(table_of, [](const Option&) { return true; }));
    const toml::table* const entries = node.as_table();
    if (entries == nullptr)
      complain(node.source(),
               "'" + table + "' is " + std::string(type_name(node)) + ", but a table is needed");
    for (const auto& [name, value] : *entries) {
      const Option* const option = find(table + "." + std::string(name.str()));
      if (option == nullptr)
        complain(
            name.source(),
            "there is no '" + std::string(name.str()) + "' in '" + table + "'; there are: " +
                list_names([](const Option& one) { return one.key.substr(one.key.find('.') + 1); },
                           in_table));
      apply(*option, value);
    }
  }

  void apply(const Option& option, const toml::node& node) {
    switch (option.kind) {
      case ValueKind::number:
        if (const auto* const number = node.as_integer())
          return apply_value(option, node, std::to_string(number->get()));
        break;
      case ValueKind::text:
        if (const auto* const text = node.as_string())
          return apply_value(option, node, text->get());
        break;
      case ValueKind::texts:
        if (const auto* const text = node.as_string())
          return apply_value(option, node, text->get());
        if (const toml::array* const list = node.as_array()) {
          for (const toml::node& one : *list) apply_value(option, one, text_of(option, one));
          return;
        }
        break;
      case ValueKind::named_texts:
        if (const toml::table* const entries = node.as_table()) {
          for (const auto& [name, one] : *entries)
            apply_value(option, one, std::string(name.str()) + "=" + text_of(option, one));
          return;
        }
        break;
      case ValueKind::none:
        break;
    }
    complain_of_type(option, node);
  }

  const std::string& text_of(const Option& option, const toml::node& node) const {
    if (const auto* const text = node.as_string()) return text->get();
    complain_of_type(option, node);
  }

  [[noreturn]] void complain_of_type(const Option& option, const toml::node& node) const {
    complain(node.source(), std::string(option.key) + " is " + std::string(type_name(node)) +
                                ", but " + std::string(needed(option.kind)) + ": " +
                                std::string(option.value));
  }

  void apply_value(const Option& option, const toml::node& node, const std::string& value) {
    try {
      option.apply(configuration_for_(option), value);
    } catch (const BadValue& bad) {
      complain(node.source(), std::string(option.key) + " cannot be '" + value + "': " + bad.why);
    }
  }

  const std::string& name_;
  const ConfigurationFor& configuration_for_;
};

}  // namespace

void read_config_text(std::string_view text, const std::string& name,
                      const ConfigurationFor& configuration_for) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    raise(name + ":" + std::to_string(error.source().begin.line) + ":" +
          std::to_string(error.source().begin.column) + ": " + std::string(error.description()));
  }
  ConfigReader(name, configuration_for).read(parsed.table());
}

void read_config_file(const std::string& path, const ConfigurationFor& configuration_for) {
  std::ifstream file(path, std::ios::binary);
  if (!file) raise("the configuration file " + path + " cannot be opened");
  std::string text(config_file_size_max + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) raise("the configuration file " + path + " cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > config_file_size_max)
    raise("the configuration file " + path + " is longer than " +
          std::to_string(config_file_size_max) + " octets");
  read_config_text(text, path, configuration_for);
}

}  // namespace perigee::runtime
