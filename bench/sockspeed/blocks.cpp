// Writes and checks blocks. All links share these functions. Each function starts at a cache line.
#include "blocks.h"

#include <cstring>
#include <stdexcept>
#include <string>

namespace perigee::bench {
namespace {

Word pattern(Word number) noexcept { return (number + 1) * 0x9e3779b97f4a7c15; }

}  // namespace

[[gnu::noinline, gnu::aligned(block_code_alignment)]] void write_block(std::span<std::byte> block,
                                                                       Word number, bool is_last,
                                                                       Memory memory) {
  const Word first = number * 2 + (is_last ? 1 : 0);
  std::memcpy(block.data(), &first, sizeof first);
  if (memory == Memory::untouched) return;
  Word word = pattern(number);
  for (std::size_t at = sizeof word; at < block.size(); at += sizeof word, ++word)
    std::memcpy(block.data() + at, &word, sizeof word);
}

[[gnu::noinline, gnu::aligned(block_code_alignment)]] bool check_block(
    std::span<const std::byte> block, Word number, Memory memory) {
  Word first = 0;
  std::memcpy(&first, block.data(), sizeof first);
  if (first / 2 != number)
    throw std::runtime_error("received block " + std::to_string(first / 2) + ", expected block " +
                             std::to_string(number) + ": octets were lost or changed");
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
