// Converts between double (IEEE 754 binary64) and binary128 by integer operations. For machines,
// such as 32-bit ARM, whose long double is a double and whose compiler has no 128-bit type.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace perigee::cdr {

/// The octets of a binary128 number, in native byte order: QuadOctets of long_double.h.
using OctetsOfQuad = std::array<std::byte, 16>;

/// A binary128 number. `high` holds the sign, 15 bits of exponent and the first 48 bits of the
/// fraction; `low` holds the other 64 bits of the fraction.
struct QuadHalves {
  std::uint64_t high;
  std::uint64_t low;
};

inline constexpr bool is_little_endian = std::endian::native == std::endian::little;

constexpr OctetsOfQuad to_octets(QuadHalves quad) noexcept {
  const std::array<std::uint64_t, 2> words =
      is_little_endian ? std::array{quad.low, quad.high} : std::array{quad.high, quad.low};
  return std::bit_cast<OctetsOfQuad>(words);
}

constexpr QuadHalves halves_of(const OctetsOfQuad& octets) noexcept {
  const auto words = std::bit_cast<std::array<std::uint64_t, 2>>(octets);
  return is_little_endian ? QuadHalves{words[1], words[0]} : QuadHalves{words[0], words[1]};
}

inline constexpr unsigned double_fraction_bits = 52;
inline constexpr std::uint64_t double_fraction = (std::uint64_t{1} << double_fraction_bits) - 1;
inline constexpr std::uint64_t double_exponent_max = 0x7ff;
inline constexpr unsigned quad_fraction_bits = 48;  // of the high half
inline constexpr std::uint64_t quad_fraction = (std::uint64_t{1} << quad_fraction_bits) - 1;
inline constexpr std::uint64_t quad_exponent_max = 0x7fff;
inline constexpr std::uint64_t exponent_difference = 16383 - 1023;
inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

/// The conversion is exact.
constexpr OctetsOfQuad quad_of_double(double value) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  std::uint64_t exponent = bits >> double_fraction_bits & double_exponent_max;
  std::uint64_t fraction = bits & double_fraction;
  if (exponent == double_exponent_max) {
    exponent = quad_exponent_max;
  } else if (exponent != 0) {
    exponent += exponent_difference;
  } else if (fraction != 0) {  // subnormal; in binary128 the leading 1 is implicit
    const auto shift =
        static_cast<unsigned>(std::countl_zero(fraction)) - (63 - double_fraction_bits);
    fraction = fraction << shift & double_fraction;
    exponent = exponent_difference + 1 - shift;
  }
  constexpr unsigned below_high = double_fraction_bits - quad_fraction_bits;
  return to_octets({(bits & sign_bit) | exponent << quad_fraction_bits | fraction >> below_high,
                    fraction << (64 - below_high)});
}

/// `digits` without its last `count` bits (1 to 64), rounded to the nearest number, ties to even.
constexpr std::uint64_t rounded(std::uint64_t digits, unsigned count) noexcept {
  const std::uint64_t kept = count == 64 ? 0 : digits >> count;
  const std::uint64_t rest = digits << (64 - count);
  const bool is_up = rest > sign_bit || (rest == sign_bit && (kept & 1) != 0);
  return kept + (is_up ? 1 : 0);
}

/// Rounds to the nearest double, ties to even.
constexpr double double_of_quad(const OctetsOfQuad& octets) noexcept {
  const QuadHalves quad = halves_of(octets);
  const std::uint64_t sign = quad.high & sign_bit;
  const std::uint64_t quad_exponent = quad.high >> quad_fraction_bits & quad_exponent_max;
  const std::uint64_t fraction = quad.high & quad_fraction;
  const auto number = [sign](std::uint64_t digits) { return std::bit_cast<double>(sign | digits); };
  constexpr std::uint64_t infinity = double_exponent_max << double_fraction_bits;
  if (quad_exponent == quad_exponent_max && (fraction | quad.low) != 0)
    return number(infinity | std::uint64_t{1} << (double_fraction_bits - 1));  // a quiet NaN
  const auto exponent =
      static_cast<std::int64_t>(quad_exponent) - static_cast<std::int64_t>(exponent_difference);
  if (exponent >= static_cast<std::int64_t>(double_exponent_max)) return number(infinity);
  // Subnormal numbers of double lack the leading 1, and have fewer digits.
  constexpr unsigned usual_count = 63 - double_fraction_bits;
  const std::int64_t count = exponent > 0 ? usual_count : usual_count + 1 - exponent;
  if (count > 64) return number(0);
  // The leading 1, and 63 digits. The last digit is also set if any digit after it is set.
  constexpr unsigned low_digits = 63 - quad_fraction_bits;
  const bool is_inexact = quad.low << low_digits != 0;
  const std::uint64_t digits =
      sign_bit | fraction << low_digits | quad.low >> (64 - low_digits) | (is_inexact ? 1 : 0);
  // The digits of a normal number are added to an exponent that is 1 too small: their leading 1
  // corrects it. A carry of the rounding also increases the exponent.
  const std::uint64_t exponent_before = exponent > 0 ? static_cast<std::uint64_t>(exponent - 1) : 0;
  return number((exponent_before << double_fraction_bits) +
                rounded(digits, static_cast<unsigned>(count)));
}

}  // namespace perigee::cdr
