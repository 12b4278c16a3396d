// Values in a few bits of an integer, for generated bitsets.
#pragma once

#include <perigee/orb/data_types.h>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace perigee::stub {

/// The lowest `Size` (1 to 64) bits.
template <unsigned Size>
inline constexpr std::uint64_t bit_mask = ~std::uint64_t{0} >> (64 - Size);

/// The inverse of `packed`: the value in the lowest `Size` bits of `bits`.
template <unsigned Size, std::integral T>
constexpr T unpacked(std::uint64_t bits) noexcept {
  constexpr std::uint64_t sign = std::uint64_t{1} << (Size - 1);
  bits &= bit_mask<Size>;
  if (std::is_signed_v<T> && (bits & sign) != 0) bits |= ~bit_mask<Size>;
  return static_cast<T>(bits);
}

/// The value in the lowest `Size` bits, negative numbers as their two's complement.
template <unsigned Size, std::integral T>
constexpr std::uint64_t packed(T value) noexcept {
  return static_cast<std::uint64_t>(value) & bit_mask<Size>;
}

/// Returns `value`. Raises BAD_PARAM if `Size` bits cannot hold it.
template <unsigned Size, std::integral T>
constexpr T fitting(T value) {
  if (unpacked<Size, T>(packed<Size>(value)) != value) bits_exceeded();
  return value;
}

}  // namespace perigee::stub
