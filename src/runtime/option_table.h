// The options of an ORB: one table, which the command line and the configuration file both obey.
#pragma once

#include "runtime/configuration.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace perigee::runtime {

/// What a value is in a configuration file. On the command line all are texts.
enum class ValueKind : std::uint8_t {
  number,  ///< a whole one
  text,
  texts,        ///< one or a list
  yes_no,       ///< a boolean, or one of these words
  named_texts,  ///< the key is a table: each entry is one value, `<name>=<text>`
  none,         ///< the option is none of the file's
};

/// Says why a value cannot be used: what would be.
struct BadValue {
  std::string why;
};

struct Option {
  std::string_view name;     ///< after "-ORB"
  std::string_view key;      ///< in a configuration file: `<table>.<name>`
  ValueKind kind;            ///< in a configuration file
  std::string_view value;    ///< what it looks like
  std::string_view meaning;  ///< for people
  /// Throws BadValue.
  void (*apply)(Configuration& configuration, const std::string& value);
  /// The value that a configuration has; null where there is no one number to show.
  std::string (*show)(const Configuration& configuration) = nullptr;
};

/// In the order in which people are shown them.
[[nodiscard]] std::span<const Option> option_table() noexcept;

}  // namespace perigee::runtime
