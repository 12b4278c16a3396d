// The options of an ORB: one table defines them for the command line and the configuration file.
#pragma once

#include "runtime/configuration.h"
#include <perigee/base/export.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace perigee::runtime {

/// The kind of a value in a configuration file. On the command line all values are texts.
enum class ValueKind : std::uint8_t {
  number,  ///< a whole number
  text,
  texts,        ///< one or a list
  yes_no,       ///< a boolean, or one of these words
  named_texts,  ///< the key is a table: each entry is one value, `<name>=<text>`
  none,         ///< the option is not for files
};

/// A value that cannot be used. `why` says what would be right.
struct BadValue {
  std::string why;
};

struct Option {
  std::string_view name;     ///< after "-ORB"
  std::string_view key;      ///< in a configuration file: `<table>.<name>`
  ValueKind kind;            ///< in a configuration file
  std::string_view value;    ///< the form of the value
  std::string_view meaning;  ///< a description, for the help
  /// Writes the value into the configuration. Throws BadValue.
  void (*apply)(Configuration& configuration, const std::string& value);
  /// The value in a configuration, as text; null where there is no single value to show.
  std::string (*show)(const Configuration& configuration) = nullptr;
  std::string_view unset = {};  ///< the default in words, where `show` is null; may be empty
};

/// The options, in the order in which the help shows them.
[[nodiscard]] PERIGEE_INTERNAL_API std::span<const Option> option_table() noexcept;

/// The default of an option, as text for the help; empty if it has none.
[[nodiscard]] std::string default_of(const Option& option);

}  // namespace perigee::runtime
