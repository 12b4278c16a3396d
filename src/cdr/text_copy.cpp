// Copies long texts in blocks. Each block is read from memory once, for the search and for the
// copy.
#include "text_copy.h"

#include <perigee/base/copy.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace perigee::cdr {
namespace {

/// Two blocks of this size fit into the first-level cache of every processor.
constexpr std::size_t cached_size = 8192;

/// Uses the C library: searches each block, and then copies it from the cache.
bool copy_by_library(char* place, std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t size = std::min(text.size(), cached_size);
    if (std::memchr(text.data(), 0, size) != nullptr) return false;
    copy_octets(place, text.data(), size);
    place += size;
    text.remove_prefix(size);
  }
  return true;
}

#if defined(__x86_64__)
using Block [[gnu::vector_size(32)]] = std::uint8_t;

constexpr bool has_zero_octet(std::span<const std::uint64_t> words) {
  return std::ranges::any_of(words, [](std::uint64_t word) { return cdr::has_zero_octet(word); });
}

/// Uses registers of 32 octets, which is twice as fast. `least` holds the minimum of all octets in
/// each position. It contains a 0 at the end if any octet was 0.
[[gnu::target("avx2")]] bool copy_by_registers(char* place, std::string_view text) noexcept {
  Block least = ~Block{};
  for (; text.size() >= 4 * sizeof(Block); place += 4 * sizeof(Block)) {
    Block first, second, third, fourth;
    std::memcpy(&first, text.data(), sizeof(Block));
    std::memcpy(&second, text.data() + sizeof(Block), sizeof(Block));
    std::memcpy(&third, text.data() + 2 * sizeof(Block), sizeof(Block));
    std::memcpy(&fourth, text.data() + 3 * sizeof(Block), sizeof(Block));
    std::memcpy(place, &first, sizeof(Block));
    std::memcpy(place + sizeof(Block), &second, sizeof(Block));
    std::memcpy(place + 2 * sizeof(Block), &third, sizeof(Block));
    std::memcpy(place + 3 * sizeof(Block), &fourth, sizeof(Block));
    first = first < second ? first : second;
    third = third < fourth ? third : fourth;
    first = first < third ? first : third;
    least = first < least ? first : least;
    text.remove_prefix(4 * sizeof(Block));
  }
  std::uint64_t words[sizeof(Block) / sizeof(std::uint64_t)];
  std::memcpy(words, &least, sizeof words);
  return !has_zero_octet(words) && copy_by_library(place, text);
}
#endif

}  // namespace

bool copy_long_text(void* place, std::string_view text) noexcept {
  auto* const octets = static_cast<char*>(place);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return copy_by_registers(octets, text);
#endif
  return copy_by_library(octets, text);
}

}  // namespace perigee::cdr
