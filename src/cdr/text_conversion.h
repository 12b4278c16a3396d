// Characters of strings, from one code set to another. Knows no CDR.
#pragma once

#include <perigee/cdr/code_sets.h>

#include <cstddef>
#include <string_view>

namespace perigee::cdr {

inline constexpr char32_t character_max = 0x10ffff;

constexpr bool is_surrogate(char32_t unit) noexcept { return unit >= 0xd800 && unit <= 0xdfff; }

/// Most octets that `text` can take in code set `to`.
[[nodiscard]] std::size_t converted_size_max(std::string_view text, CharSet to) noexcept;

/// Writes `text`, converted, to `place`, where there must be room for `converted_size_max`.
/// Returns the end of what was written, or nullptr if `text` is not valid in `from`, or has a
/// character that `to` has not.
[[nodiscard]] char* convert_text(std::string_view text, CharSet from, CharSet to,
                                 char* place) noexcept;

}  // namespace perigee::cdr
