// The entries of the TOML file of `perigee bridge --config`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace perigee::tool {

/// The largest size of a file in octets. Longer files are refused.
inline constexpr std::size_t bridge_config_size_max = 1u << 20;

/// One key with its value.
struct ConfigEntry {
  enum class Kind : std::uint8_t { text, texts, number, yes_no };

  std::string key;
  Kind kind = Kind::text;
  std::vector<std::string> values;  ///< one, unless `kind` is `texts`; `yes_no`: "true" or "false"
  std::string place;                ///< of the value: "bridge.toml:3:10"
};

/// The entries in the order of their keys. Error: message for the user, with file, line and column.
/// The function fails if the file cannot be read or is not TOML. It also fails if a value is a
/// table, a date, or an array of anything but strings.
[[nodiscard]] std::expected<std::vector<ConfigEntry>, std::string> read_entries(
    const std::string& path);

/// The kind as a text for errors: "a string".
[[nodiscard]] const char* to_text(ConfigEntry::Kind kind) noexcept;

}  // namespace perigee::tool
