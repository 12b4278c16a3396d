// The transferred blocks. Each block contains its number, so that lost and repeated blocks are
// noticed. All memory of touched blocks is written before sending and checked after receiving.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>

namespace perigee::bench {

enum class Memory : std::uint8_t { touched, untouched };

/// Blocks consist of whole words. The first word has the number, and whether the block is the last.
using Word = std::uint64_t;
inline constexpr std::size_t block_size_min = 16;

inline Word pattern(Word number) noexcept { return (number + 1) * 0x9e3779b97f4a7c15; }

inline void write_block(std::span<std::byte> block, Word number, bool is_last, Memory memory) {
  const Word first = number * 2 + (is_last ? 1 : 0);
  std::memcpy(block.data(), &first, sizeof first);
  if (memory == Memory::untouched) return;
  Word word = pattern(number);
  for (std::size_t at = sizeof word; at < block.size(); at += sizeof word, ++word)
    std::memcpy(block.data() + at, &word, sizeof word);
}

/// Whether `block` is the last block of a run. Throws std::runtime_error unless it is block
/// `number`, unchanged.
inline bool check_block(std::span<const std::byte> block, Word number, Memory memory) {
  Word first = 0;
  std::memcpy(&first, block.data(), sizeof first);
  if (first / 2 != number)
    throw std::runtime_error("block " + std::to_string(first / 2) + " came where " +
                             std::to_string(number) + " was due: octets were lost or changed");
  if (memory == Memory::touched) {
    Word expected = pattern(number);
    Word differences = 0;
    for (std::size_t at = sizeof expected; at < block.size(); at += sizeof expected, ++expected) {
      Word word = 0;
      std::memcpy(&word, block.data() + at, sizeof word);
      differences |= word ^ expected;
    }
    if (differences != 0)
      throw std::runtime_error("block " + std::to_string(number) + ": its octets were changed");
  }
  return first % 2 == 1;
}

}  // namespace perigee::bench
