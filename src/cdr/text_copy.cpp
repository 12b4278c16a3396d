// Copies long texts in blocks. Each block is read from memory once, for the search and for the
// copy.
#include "text_copy.h"

#include <perigee/base/copy.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace perigee::cdr {
namespace {

/// Two blocks of this size fit into the first-level cache of every processor.
constexpr std::size_t cached_size = 8192;

/// Uses the C library: searches each block, and then copies it from the cache.
CopiedText copy_by_library(char* place, std::string_view text) noexcept {
  bool all_ascii = true;
  while (!text.empty()) {
    const std::size_t size = std::min(text.size(), cached_size);
    if (std::memchr(text.data(), 0, size) != nullptr) return CopiedText::has_nul;
    all_ascii = all_ascii && is_ascii(text.substr(0, size));
    copy_octets(place, text.data(), size);
    place += size;
    text.remove_prefix(size);
  }
  return all_ascii ? CopiedText::ascii : CopiedText::beyond_ascii;
}

#if defined(__x86_64__)
using Block [[gnu::vector_size(32)]] = std::uint8_t;

constexpr bool has_zero_octet(std::string_view octets) {
  return octets.find('\0') != std::string_view::npos;
}

/// Uses registers of 32 octets, which is twice as fast. `least` holds the minimum of all octets in
/// each position: after the loop, it contains a 0 if any octet was 0. `all` holds the octets of
/// each position, combined by or.
[[gnu::target("avx2")]] CopiedText copy_by_registers(char* place, std::string_view text) noexcept {
  Block least = ~Block{};
  Block all{};
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
    all |= first | second | third | fourth;
    first = first < second ? first : second;
    third = third < fourth ? third : fourth;
    first = first < third ? first : third;
    least = first < least ? first : least;
    text.remove_prefix(4 * sizeof(Block));
  }
  std::array<char, sizeof(Block)> octets;
  std::memcpy(octets.data(), &least, octets.size());
  if (has_zero_octet({octets.data(), octets.size()})) return CopiedText::has_nul;
  std::memcpy(octets.data(), &all, octets.size());
  const bool all_ascii = is_ascii({octets.data(), octets.size()});
  const CopiedText rest = copy_by_library(place, text);
  return rest == CopiedText::ascii && !all_ascii ? CopiedText::beyond_ascii : rest;
}
#endif

}  // namespace

CopiedText copy_long_text(void* place, std::string_view text) noexcept {
  auto* const octets = static_cast<char*>(place);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return copy_by_registers(octets, text);
#endif
  return copy_by_library(octets, text);
}

}  // namespace perigee::cdr
