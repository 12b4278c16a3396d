// Copies octets, fast at every distance between source and destination.
#pragma once

#include <perigee/base/export.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace perigee {

/// From this many octets on, glibc copies by `rep movsb`.
inline constexpr std::size_t slow_copy_min = 2048;

/// Whether std::memcpy of these octets may be 25 times slower than `copy_backward`. The instruction
/// `rep movsb` of AMD's Zen 3 and Zen 4 copies octet by octet if the destination lies 1 to 31
/// octets after the source, modulo 4,096. Source: glibc bug 30994.
inline bool is_slow_copy(const void* to, const void* from, std::size_t size) noexcept {
  constexpr std::size_t period = 4096;
  constexpr std::size_t slow_distances = 31;
  const auto distance =
      reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  return size >= slow_copy_min && distance % period - 1 < slow_distances;
}

/// Copies like std::memcpy, in pieces from the end to the start.
PERIGEE_API void copy_backward(void* to, const void* from, std::size_t size) noexcept;

/// Copies like std::memcpy: the octets must not overlap.
inline void copy_octets(void* to, const void* from, std::size_t size) noexcept {
  if (is_slow_copy(to, from, size)) [[unlikely]]
    return copy_backward(to, from, size);
  std::memcpy(to, from, size);
}

}  // namespace perigee
