// Copies texts and searches them for a NUL, for the encoder and the decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perigee::cdr {

/// From this size on, one pass for search and copy is faster than two passes.
inline constexpr std::size_t long_text_min = 1024;

/// Copies `text`, of any length, to `place`. False if there is a NUL in it. Then the number of
/// copied octets is unspecified.
bool copy_long_text(void* place, std::string_view text) noexcept;

/// Whether an octet of the word is 0.
constexpr bool has_zero_octet(std::uint64_t word) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  return ((word - ones) & ~word & (ones << 7)) != 0;
}
static_assert(has_zero_octet(0xff01ff00ff80ff01) && !has_zero_octet(0xff01ff01ff80ff01));

}  // namespace perigee::cdr
