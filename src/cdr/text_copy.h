// Copies texts and searches them for a NUL, for the encoder and the decoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace perigee::cdr {

/// From this size on, one pass for search and copy is faster than two passes.
inline constexpr std::size_t long_text_min = 1024;

enum class CopiedText : std::uint8_t {
  has_nul,  ///< the number of copied octets is unspecified
  ascii,
  beyond_ascii,
};

/// Copies `text`, of any length, to `place`.
CopiedText copy_long_text(void* place, std::string_view text) noexcept;

/// The octets of a long text, combined by or. Reads whole blocks, and sets `index` to the position
/// behind the last of them.
inline std::uint64_t combine_blocks(std::string_view text, std::size_t& index) noexcept {
  using Block [[gnu::vector_size(16)]] = std::uint64_t;
  Block all{};
  for (Block first, second; index + 2 * sizeof(Block) <= text.size(); index += 2 * sizeof(Block)) {
    std::memcpy(&first, text.data() + index, sizeof first);
    std::memcpy(&second, text.data() + index + sizeof first, sizeof second);
    all |= first | second;
  }
  return all[0] | all[1];
}

/// Whether all octets are ASCII. Takes a few instructions for a short text.
inline bool is_ascii(std::string_view text) noexcept {
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  const char* const octets = text.data();
  const std::size_t size = text.size();
  std::uint64_t all = 0;  // the octets, combined by or
  if (size >= sizeof all) {
    std::uint64_t word = 0;
    std::size_t index = 0;
    if (size >= 64) all = combine_blocks(text, index);
    for (; index + sizeof word < size; index += sizeof word) {
      std::memcpy(&word, octets + index, sizeof word);
      all |= word;
    }
    std::memcpy(&word, octets + size - sizeof word, sizeof word);  // may overlap the last one
    all |= word;
  } else if (size >= sizeof(std::uint32_t)) {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::memcpy(&first, octets, sizeof first);
    std::memcpy(&last, octets + size - sizeof last, sizeof last);
    all = first | last;
  } else {
    for (const char octet : text) all |= static_cast<unsigned char>(octet);
  }
  return (all & high_bits) == 0;
}

/// Whether an octet of the word is 0.
constexpr bool has_zero_octet(std::uint64_t word) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  return ((word - ones) & ~word & (ones << 7)) != 0;
}
static_assert(has_zero_octet(0xff01ff00ff80ff01) && !has_zero_octet(0xff01ff01ff80ff01));

}  // namespace perigee::cdr
