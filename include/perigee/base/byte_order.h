// Reverses the octets of primitive values: converts between little-endian and big-endian.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>

namespace perigee {

/// A type that CDR carries as a number of its own size: integers and floating point, not bool.
template <typename T>
concept Swappable = (std::integral<T> || std::floating_point<T>) && !std::same_as<T, bool>;

/// `value` with its octets in reverse order. Not for long double, whose octets in memory differ
/// from its CDR encoding.
template <Swappable T>
  requires(!std::same_as<T, long double>)
[[nodiscard]] constexpr T reverse_octets(T value) noexcept {
  if constexpr (sizeof(T) == 1) {
    return value;
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<T>(__builtin_bswap16(std::bit_cast<std::uint16_t>(value)));
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
  } else {
    return std::bit_cast<T>(__builtin_bswap64(std::bit_cast<std::uint64_t>(value)));
  }
}

}  // namespace perigee
