// Converts the characters of strings from one code set to another. Knows no CDR.
#pragma once

#include <perigee/cdr/code_sets.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace perigee::cdr {

inline constexpr char32_t character_max = 0x10ffff;

constexpr bool is_surrogate(char32_t unit) noexcept { return unit >= 0xd800 && unit <= 0xdfff; }

/// The result for octets that are not a character.
inline constexpr char32_t no_character = 0xffffffff;

/// Takes a character of more than one octet from the front of `text`, which must not be empty.
/// Returns `no_character`, and leaves `text` unchanged, if the octets are not well-formed UTF-8:
/// also for an overlong form, a surrogate or a code point beyond Unicode.
[[nodiscard]] char32_t take_utf_8(std::string_view& text) noexcept;
[[nodiscard]] bool is_utf_8(std::string_view text) noexcept;
/// Appends a character that is neither a surrogate nor beyond Unicode.
void append_utf_8(std::string& text, char32_t character);

/// The largest number of octets that `text` can take in code set `to`.
[[nodiscard]] std::size_t converted_size_max(std::string_view text, CharSet to) noexcept;

/// Converts `text` and writes it to `place`, which must have room for `converted_size_max`. Returns
/// the end of the written text. Returns nullptr if `text` is not valid in `from`, or has a
/// character that `to` does not contain.
[[nodiscard]] char* convert_text(std::string_view text, CharSet from, CharSet to,
                                 char* place) noexcept;

}  // namespace perigee::cdr
