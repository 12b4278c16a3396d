// Copies texts and searches them for a NUL, for the encoder and the decoder.
#pragma once

#include <array>
#include <bit>
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
/// after the last of them.
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

/// Whether the `size` octets at `text` are ASCII characters and then a NUL, with no NUL in between.
/// `readable` octets may be read there. False also for size 0, for texts that are not short, and if
/// few octets are readable: then the caller checks the text in another way.
inline bool is_short_ascii_string(const char* text, std::size_t size,
                                  std::size_t readable) noexcept {
  constexpr std::size_t size_max = 64;
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  if (std::endian::native != std::endian::little || size - 1 >= size_max || readable < sizeof ones)
    return false;
  // A word has no octet 0 or above 0x7f if no octet has its high bit set, both before and after the
  // subtraction of 1 from each octet.
  std::uint64_t word = 0;
  std::uint64_t all = 0;
  if (size <= sizeof word) {
    std::memcpy(&word, text, sizeof word);
    const std::size_t bits = 8 * (size - 1);  // of the characters
    const std::uint64_t others = ~std::uint64_t{0} << bits;
    if (((word >> bits) & 0xff) != 0) return false;
    word = (word & ~others) | (ones & others);
    return (((word - ones) | word) & high_bits) == 0;
  }
  if (text[size - 1] != '\0') return false;
  const std::size_t length = size - 1;
  for (std::size_t index = 0; index + sizeof word < length; index += sizeof word) {
    std::memcpy(&word, text + index, sizeof word);
    all |= (word - ones) | word;
  }
  std::memcpy(&word, text + length - sizeof word, sizeof word);  // may overlap the last one
  all |= (word - ones) | word;
  return (all & high_bits) == 0;
}

/// Copies a text of `sizeof(Word)` to twice as many octets: as its first and its last word, which
/// may overlap. Gives both words.
template <typename Word>
std::array<Word, 2> copy_as_words(void* place, std::string_view text) noexcept {
  const char* const octets = text.data();
  const std::size_t second = text.size() - sizeof(Word);
  std::array<Word, 2> words;
  std::memcpy(&words[0], octets, sizeof(Word));
  std::memcpy(&words[1], octets + second, sizeof(Word));
  std::memcpy(place, &words[0], sizeof(Word));
  std::memcpy(static_cast<char*>(place) + second, &words[1], sizeof(Word));
  return words;
}

/// Copies a text as std::memcpy does. Most texts are short: for these, a function call costs more
/// than the copy.
inline void copy_text(char* place, std::string_view text) noexcept {
  if (text.size() > 2 * sizeof(std::uint64_t))
    std::memcpy(place, text.data(), text.size());
  else if (text.size() >= sizeof(std::uint64_t))
    copy_as_words<std::uint64_t>(place, text);
  else if (text.size() >= sizeof(std::uint32_t))
    copy_as_words<std::uint32_t>(place, text);
  else
    for (const char character : text) *place++ = character;
}

/// Whether an octet of the word is 0.
constexpr bool has_zero_octet(std::uint64_t word) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  return ((word - ones) & ~word & (ones << 7)) != 0;
}
static_assert(has_zero_octet(0xff01ff00ff80ff01) && !has_zero_octet(0xff01ff01ff80ff01));

}  // namespace perigee::cdr
