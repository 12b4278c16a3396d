// toml++ parses; the option table defines the valid keys.
#include "runtime/config_file.h"

#include "base/nearest_name.h"
#include "runtime/toml.h"
#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <ranges>
#include <set>
#include <system_error>
#include <utility>

namespace perigee::runtime {

namespace {

// Keys may hold any character. Control characters are replaced, so that a file cannot forge log
// lines.
[[noreturn]] void raise(std::string text) {
  std::ranges::replace_if(
      text, [](char octet) { return static_cast<unsigned char>(octet) < ' ' || octet == 0x7f; },
      '?');
  throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, std::move(text));
}

std::string_view table_of(const Option& option) {
  return option.key.substr(0, option.key.find('.'));
}

std::string_view key_of(const Option& option) {
  return option.key.substr(option.key.find('.') + 1);
}

constexpr std::string_view where_keys_are = " (-ORBHelp lists the keys)";

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
    case ValueKind::yes_no:
      return "true or false is needed";
    case ValueKind::text:
    case ValueKind::none:
      break;
  }
  return "a string is needed";
}

/// Reads one file: its tables, and the option of each entry.
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
    raise(place(source) + ": " + what);
  }

  [[nodiscard]] std::string place(const toml::source_region& source) const {
    return place_text(name_, source);
  }

  // Remembers the place of each part of a list.
  void remember(orb::Settings& settings, const std::string& value, const toml::node& node) const {
    for (std::size_t start = 0; start <= value.size();) {
      const std::size_t end = std::min(value.find(';', start), value.size());
      settings.places.insert_or_assign(value.substr(start, end - start), place(node.source()));
      start = end + 1;
    }
  }

  static const Option* find(std::string_view key) {
    const auto found = std::ranges::find(option_table(), key, &Option::key);
    return found != option_table().end() && is_in_files(*found) ? &*found : nullptr;
  }

  void read_table(const toml::key& key, const toml::node& node) {
    const std::string table(key.str());
    const auto in_table = [&table](const Option& option) { return table_of(option) == table; };
    if (std::ranges::none_of(option_table() | std::views::filter(is_in_files), in_table))
      complain(key.source(), node.is_table() ? unknown_table(table) : misplaced(table));
    const toml::table* const entries = node.as_table();
    if (entries == nullptr)
      complain(node.source(),
               "'" + table + "' is " + std::string(type_name(node)) + ", but a table is needed");
    for (const auto& [name, value] : *entries) {
      const Option* const option = find(table + "." + std::string(name.str()));
      if (option == nullptr) complain(name.source(), unknown_key(table, std::string(name.str())));
      apply(*option, value);
    }
  }

  static std::string unknown_table(const std::string& name) {
    return "unknown table '" + name + "'" +
           did_you_mean(name, option_table() | std::views::filter(is_in_files) |
                                  std::views::transform(table_of)) +
           std::string(where_keys_are);
  }

  static std::string unknown_key(const std::string& table, const std::string& name) {
    if (const std::string tables = tables_with(name); !tables.empty())
      return "the key '" + name + "' belongs in the table '" + tables + "', not in '" + table + "'";
    const auto in_table = [&table](const Option& option) { return table_of(option) == table; };
    return "unknown key '" + name + "' in the table '" + table + "'" +
           did_you_mean(name, option_table() | std::views::filter(in_table) |
                                  std::views::transform(key_of)) +
           std::string(where_keys_are);
  }

  static std::string tables_with(const std::string& name) {
    return list_names(table_of, [&name](const Option& option) { return key_of(option) == name; });
  }

  // A key outside of all tables: the line of its table may be missing.
  static std::string misplaced(const std::string& name) {
    const std::string tables = tables_with(name);
    if (tables.empty()) return unknown_table(name);
    return "the key '" + name + "' belongs in a table: write " + tables + "." + name +
           ", or put it below a line [" + tables + "]";
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
      case ValueKind::yes_no:
        if (const auto* const answer = node.as_boolean())
          return apply_value(option, node, answer->get() ? "yes" : "no");
        if (const auto* const text = node.as_string())  // as on the command line
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
            apply_named(option, std::string(name.str()), one);
          return;
        }
        break;
      case ValueKind::none:
        break;
    }
    complain_of_type(option, node);
  }

  void apply_named(const Option& option, const std::string& name, const toml::node& node) {
    const std::string& value = text_of(option, node);
    apply_value(option, node, name + "=" + value);
    remember(configuration_for_(option).settings, value, node);
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
      Configuration& configuration = configuration_for_(option);
      option.apply(configuration, value);
      if (option.kind == ValueKind::text || option.kind == ValueKind::texts)
        remember(configuration.settings, value, node);
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
    raise(place_text(name, error.source()) + ": " + std::string(error.description()));
  }
  ConfigReader(name, configuration_for).read(parsed.table());
}

void read_config_file(const std::string& path, const ConfigurationFor& configuration_for) {
  errno = 0;  // a stream gives no other reason for a failure
  std::ifstream file(path, std::ios::binary);
  if (!file)
    raise("the configuration file " + path + " cannot be opened" +
          (errno != 0 ? ": " + std::generic_category().message(errno) : ""));
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
