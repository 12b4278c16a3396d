// Functions that the parsers of stringified references share: hexadecimal digits, letters, errors.
#pragma once

#include <perigee/iop/ior.h>

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::iop {

/// ASCII only, in every locale.
inline char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// 0 to 15, or nothing if `c` is not a hexadecimal digit.
inline std::optional<unsigned> hex_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  const char lower = to_lower(c);
  if (lower >= 'a' && lower <= 'f') return static_cast<unsigned>(lower - 'a' + 10);
  return std::nullopt;
}

/// Removes `prefix` (lower case) from the front of `text`, which may have either case.
inline bool consume_prefix(std::string_view& text, std::string_view prefix) {
  if (text.size() < prefix.size()) return false;
  for (std::size_t index = 0; index < prefix.size(); ++index)
    if (to_lower(text[index]) != prefix[index]) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Removes white space at the end, such as the end of a line that was read from a file.
inline std::string_view without_trailing_space(std::string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

inline std::unexpected<ReferenceError> refuse(ReferenceError::Reason reason, std::string text) {
  return std::unexpected(ReferenceError{reason, std::move(text)});
}

}  // namespace perigee::iop
