// Copies of texts that are looked through for a NUL: what both the encoder and the decoder do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perigee::cdr {

/// From here on a look and a copy in one are faster than one after the other.
inline constexpr std::size_t long_text_min = 1024;

/// Copies `text`, of any length, to `place`. False if there is a NUL in it; how much was copied is
/// open then.
bool copy_long_text(void* place, std::string_view text) noexcept;

/// Whether one of a word's octets is 0.
constexpr bool has_zero_octet(std::uint64_t word) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  return ((word - ones) & ~word & (ones << 7)) != 0;
}
static_assert(has_zero_octet(0xff01ff00ff80ff01) && !has_zero_octet(0xff01ff01ff80ff01));

}  // namespace perigee::cdr
