// Arithmetic of IDL::Fixed: magnitudes of 256 bits hold every intermediate result of two numbers of
// 31 digits exactly; digits are cut off once, at the end.
#include "orb/values/system_exceptions.h"
#include <perigee/orb/fixed.h>

#include <array>
#include <cmath>
#include <istream>
#include <string>

namespace perigee::stub {

namespace {

__extension__ typedef unsigned __int128 Unsigned128;

/// A number without sign below 2^256, least significant part first.
using Wide = std::array<std::uint64_t, 4>;

Unsigned128 magnitude(Int128 value) {
  return value < 0 ? -static_cast<Unsigned128>(value) : static_cast<Unsigned128>(value);
}

Wide widen(Unsigned128 value) {
  return {static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64), 0, 0};
}

Int128 narrow(const Wide& value, bool is_negative) {
  // 31 digits take 103 bits.
  if (value[3] != 0 || value[2] != 0 || (value[1] >> 63) != 0) fixed_overflow();
  const auto result = static_cast<Int128>((static_cast<Unsigned128>(value[1]) << 64) | value[0]);
  return is_negative ? -result : result;
}

Wide add(const Wide& a, const Wide& b) {
  Wide sum{};
  Unsigned128 carry = 0;
  for (std::size_t index = 0; index < sum.size(); ++index) {
    carry += static_cast<Unsigned128>(a[index]) + b[index];
    sum[index] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return sum;
}

/// a - b, where a ≥ b.
Wide subtract(const Wide& a, const Wide& b) {
  Wide difference{};
  std::uint64_t borrow = 0;
  for (std::size_t index = 0; index < difference.size(); ++index) {
    const Unsigned128 taken = static_cast<Unsigned128>(b[index]) + borrow;
    difference[index] = a[index] - static_cast<std::uint64_t>(taken);
    borrow = taken > a[index] ? 1 : 0;
  }
  return difference;
}

std::strong_ordering compare(const Wide& a, const Wide& b) {
  for (std::size_t index = a.size(); index-- > 0;)
    if (a[index] != b[index]) return a[index] <=> b[index];
  return std::strong_ordering::equal;
}

Wide multiply(const Wide& a, std::uint64_t b) {
  Wide product{};
  Unsigned128 carry = 0;
  for (std::size_t index = 0; index < product.size(); ++index) {
    carry += static_cast<Unsigned128>(a[index]) * b;
    product[index] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  if (carry != 0) fixed_overflow();
  return product;
}

Wide multiply(Unsigned128 a, Unsigned128 b) {
  const Wide low = multiply(widen(a), static_cast<std::uint64_t>(b));
  const Wide high = multiply(widen(a), static_cast<std::uint64_t>(b >> 64));
  return add(low, {0, high[0], high[1], high[2]});
}

constexpr int digits_of_word = 19;  // ten to the 19th fits into 64 bits

std::uint64_t word_ten_to(int exponent) { return static_cast<std::uint64_t>(ten_to(exponent)); }

Wide divide(const Wide& a, std::uint64_t b) {
  Wide quotient{};
  Unsigned128 remainder = 0;
  for (std::size_t index = a.size(); index-- > 0;) {
    remainder = (remainder << 64) | a[index];
    quotient[index] = static_cast<std::uint64_t>(remainder / b);
    remainder %= b;
  }
  return quotient;
}

/// a / b by long division, bit by bit: numbers of this size are divided rarely.
Wide divide(const Wide& a, const Wide& b) {
  Wide quotient{};
  Wide remainder{};
  for (std::size_t bit = 256; bit-- > 0;) {
    remainder = add(remainder, remainder);
    remainder[0] |= (a[bit / 64] >> (bit % 64)) & 1;
    if (compare(remainder, b) < 0) continue;
    remainder = subtract(remainder, b);
    quotient[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  return quotient;
}

/// Multiplies by ten to the power of `places`. Negative `places` cut digits off.
Wide shift(Wide value, int places) {
  while (places != 0) {
    const int step = std::clamp(places, -digits_of_word, digits_of_word);
    value = step > 0 ? multiply(value, word_ten_to(step)) : divide(value, word_ten_to(-step));
    places -= step;
  }
  return value;
}

}  // namespace

void fixed_overflow() {
  throw CORBA::DATA_CONVERSION(0, CORBA::COMPLETED_NO,
                               "a fixed-point value that its type cannot hold");
}

Int128 fixed_rescale(Int128 units, int scale, int to_scale) {
  return narrow(shift(widen(magnitude(units)), to_scale - scale), units < 0);
}

Int128 fixed_add(Int128 a, int a_scale, Int128 b, int b_scale, int to_scale) {
  const int scale = std::max(a_scale, b_scale);
  const Wide wide_a = shift(widen(magnitude(a)), scale - a_scale);
  const Wide wide_b = shift(widen(magnitude(b)), scale - b_scale);
  if ((a < 0) == (b < 0)) return narrow(shift(add(wide_a, wide_b), to_scale - scale), a < 0);
  const bool is_a_larger = compare(wide_a, wide_b) > 0;
  const Wide difference = is_a_larger ? subtract(wide_a, wide_b) : subtract(wide_b, wide_a);
  return narrow(shift(difference, to_scale - scale), is_a_larger ? a < 0 : b < 0);
}

Int128 fixed_multiply(Int128 a, Int128 b, int scale, int to_scale) {
  return narrow(shift(multiply(magnitude(a), magnitude(b)), to_scale - scale), (a < 0) != (b < 0));
}

Int128 fixed_divide(Int128 a, Int128 b, int scale, int to_scale) {
  if (b == 0)
    throw CORBA::DATA_CONVERSION(0, CORBA::COMPLETED_NO, "a fixed-point value divided by zero");
  // One of the numbers is extended, so that the quotient has `to_scale` places.
  const int places = to_scale - scale;
  const Wide dividend = shift(widen(magnitude(a)), std::max(places, 0));
  const Wide divisor = shift(widen(magnitude(b)), std::max(-places, 0));
  return narrow(divide(dividend, divisor), (a < 0) != (b < 0));
}

std::strong_ordering fixed_compare(Int128 a, int a_scale, Int128 b, int b_scale) {
  if ((a < 0) != (b < 0)) return a < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  const int scale = std::max(a_scale, b_scale);
  const auto order = compare(shift(widen(magnitude(a)), scale - a_scale),
                             shift(widen(magnitude(b)), scale - b_scale));
  return a < 0 ? 0 <=> order : order;
}

Int128 fixed_round(Int128 units, int scale, int to_scale) {
  if (to_scale >= scale) return units;
  const Int128 unit = ten_to(scale - to_scale);
  const Int128 half = units < 0 ? -unit / 2 : unit / 2;
  return (units + half) / unit * unit;
}

Int128 fixed_from_float(long double value, int scale) {
  const long double units = std::round(value * std::pow(10.0L, static_cast<long double>(scale)));
  const auto limit = static_cast<long double>(ten_to(fixed_digits_max));
  if (!(std::fabs(units) < limit)) fixed_overflow();
  return static_cast<Int128>(units);
}

long double fixed_to_float(Int128 units, int scale) {
  return static_cast<long double>(units) / static_cast<long double>(ten_to(scale));
}

std::string fixed_to_string(Int128 units, int scale) {
  std::string text;  // from the right
  Unsigned128 rest = magnitude(units);
  for (int place = 0; place <= scale || rest != 0; ++place) {
    if (place == scale && scale != 0) text += '.';
    text += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  }
  if (units < 0) text += '-';
  return {text.rbegin(), text.rend()};
}

void fixed_read(std::istream& is, int digits, int scale, Int128& units) {
  std::string word;
  if (!(is >> word)) return;
  try {
    units = fixed_from_text(word, digits, scale, FurtherDigits::refused);
  } catch (const CORBA::DATA_CONVERSION&) {
    is.setstate(std::ios_base::failbit);
  }
}

namespace {

constexpr unsigned positive_sign = 0xc;
constexpr unsigned negative_sign = 0xd;

/// Each digit and the sign take half an octet. If the number of digits is even, a zero comes first.
std::size_t fixed_size(int digits) { return static_cast<std::size_t>(digits) / 2 + 1; }

}  // namespace

void encode_fixed(cdr::Encoder& encoder, Int128 units, int digits) {
  std::array<std::byte, fixed_digits_max / 2 + 1> octets{};
  const std::size_t size = fixed_size(digits);
  Unsigned128 rest = magnitude(units);
  const auto next_digit = [&rest] {
    const auto digit = static_cast<unsigned>(rest % 10);
    rest /= 10;
    return digit;
  };
  unsigned low = units < 0 ? negative_sign : positive_sign;
  for (std::size_t index = size; index-- > 0;) {
    octets[index] = static_cast<std::byte>(next_digit() << 4 | low);
    if (index != 0) low = next_digit();
  }
  encoder.write_copied_octets(OctetSpan(octets).first(size));
}

Int128 decode_fixed(cdr::Decoder& decoder, int digits) {
  const OctetSpan octets = decoder.read_fixed(digits);
  if (octets.empty()) return 0;
  Int128 units = 0;
  const auto take = [&units](std::byte digit) { units = units * 10 + std::to_integer<int>(digit); };
  for (const std::byte octet : octets.first(octets.size() - 1)) {
    take(octet >> 4);
    take(octet & std::byte{0xf});
  }
  take(octets.back() >> 4);
  if (units >= ten_to(digits)) {
    decoder.fail(cdr::ErrorKind::bad_value);
    return 0;
  }
  const auto sign = std::to_integer<unsigned>(octets.back() & std::byte{0xf});
  return sign == negative_sign ? -units : units;
}

}  // namespace perigee::stub
