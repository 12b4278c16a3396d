// IDL::Fixed<digits, scale>: the decimal numbers of IDL's fixed<digits, scale>.
//
// A result of two values of the same type has this type. Otherwise it has the number of digits that
// CORBA 3.0, 3.10.2 gives it: at most 31. These digits are exact. Further digits after the point
// are cut off. CORBA::DATA_CONVERSION is raised if the digits of a value before the point do not
// fit. It is also raised for a division by zero, and for a text that is not a number of the type.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/orb/traits.h>

#include <algorithm>
#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

namespace perigee::stub {

__extension__ typedef __int128 Int128;

inline constexpr int fixed_digits_max = 31;

/// Throws CORBA::DATA_CONVERSION.
[[noreturn]] PERIGEE_API void fixed_overflow();

constexpr Int128 ten_to(int exponent) {
  Int128 power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

/// Returns `units`. Throws CORBA::DATA_CONVERSION if its magnitude has more than `digits` decimal
/// digits.
constexpr Int128 checked_fixed(Int128 units, int digits) {
  const Int128 limit = ten_to(digits);
  if (units >= limit || units <= -limit) fixed_overflow();
  return units;
}

/// The number of digits of `units`, without zeros in front. At least the digits after the point,
/// and at least one.
constexpr std::uint16_t count_fixed_digits(Int128 units, int scale) {
  int count = std::max(scale, 1);
  while (count < fixed_digits_max && (units >= ten_to(count) || units <= -ten_to(count))) ++count;
  return static_cast<std::uint16_t>(count);
}

/// What happens to digits other than zero after the places of the type.
enum class FurtherDigits : std::uint8_t { cut_off, refused };

/// Reads "-12.345", "7" or ".5", with or without a `d` at the end. Gives the number times ten to
/// the power of `scale`.
constexpr Int128 fixed_from_text(std::string_view text, int digits, int scale,
                                 FurtherDigits further = FurtherDigits::cut_off) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.ends_with('d') || text.ends_with('D')) text.remove_suffix(1);
  Int128 units = 0;
  int places_left = scale;
  bool has_digit = false;
  bool is_behind_point = false;
  for (const char character : text) {
    if (character == '.' && !is_behind_point) {
      is_behind_point = true;
      continue;
    }
    if (character < '0' || character > '9') fixed_overflow();
    has_digit = true;
    if (is_behind_point && places_left == 0) {
      if (character != '0' && further == FurtherDigits::refused) fixed_overflow();
      continue;
    }
    if (is_behind_point) --places_left;
    units = checked_fixed(units * 10 + (character - '0'), digits);
  }
  if (!has_digit) fixed_overflow();
  for (; places_left > 0; --places_left) units = checked_fixed(units * 10, digits);
  return is_negative ? -units : units;
}

// `units`, `a` and `b` are scaled integers: a number times ten to the power of its scale. Results
// are cut off at `to_scale`.
PERIGEE_API Int128 fixed_rescale(Int128 units, int scale, int to_scale);
PERIGEE_API Int128 fixed_add(Int128 a, int a_scale, Int128 b, int b_scale, int to_scale);
/// `scale` is the sum of the scales of a and b.
PERIGEE_API Int128 fixed_multiply(Int128 a, Int128 b, int scale, int to_scale);
/// The quotient's scale is `to_scale`. `scale` is the scale of a minus the scale of b.
PERIGEE_API Int128 fixed_divide(Int128 a, Int128 b, int scale, int to_scale);
PERIGEE_API std::strong_ordering fixed_compare(Int128 a, int a_scale, Int128 b, int b_scale);
/// Rounds half away from zero, to `to_scale` digits after the point.
PERIGEE_API Int128 fixed_round(Int128 units, int scale, int to_scale);
PERIGEE_API Int128 fixed_from_float(long double value, int scale);
PERIGEE_API long double fixed_to_float(Int128 units, int scale);
PERIGEE_API std::string fixed_to_string(Int128 units, int scale);
/// Reads a word from the stream. Refuses further digits. If the word is not a number with at most
/// these digits, sets failbit and leaves `units` unchanged.
PERIGEE_API void fixed_read(std::istream& is, int digits, int scale, Int128& units);

PERIGEE_API void encode_fixed(cdr::Encoder& encoder, Int128 units, int digits);
PERIGEE_API Int128 decode_fixed(cdr::Decoder& decoder, int digits);

}  // namespace perigee::stub

namespace IDL {
inline namespace perigee_v1 {

template <std::uint16_t Digits, std::uint16_t Scale>
class Fixed {
  static_assert(Digits >= 1 && Digits <= perigee::stub::fixed_digits_max && Scale <= Digits);

 public:
  constexpr Fixed() = default;
  /// Raises DATA_CONVERSION if the value has more than Digits - Scale digits.
  template <std::integral Integer>
  constexpr Fixed(Integer value)  // NOLINT(google-explicit-constructor): as numbers do
      : units_(perigee::stub::checked_fixed(value, Digits - Scale) * perigee::stub::ten_to(Scale)) {
  }
  /// Rounds to the nearest. Raises DATA_CONVERSION if the value is too large or not a number.
  template <std::floating_point Float>
  explicit Fixed(Float value) : Fixed(Units{perigee::stub::fixed_from_float(value, Scale)}) {}
  /// "-12.34". Raises DATA_CONVERSION if the type cannot hold all digits. Zeros at the end do not
  /// count.
  explicit constexpr Fixed(std::string_view text)
      : units_(perigee::stub::fixed_from_text(text, Digits, Scale,
                                              perigee::stub::FurtherDigits::refused)) {}
  explicit constexpr Fixed(const char* text) : Fixed(std::string_view(text)) {}
  /// Further digits after the point are cut off. Raises DATA_CONVERSION if the digits before the
  /// point do not fit.
  template <std::uint16_t D, std::uint16_t S>
  Fixed(const Fixed<D, S>& other)  // NOLINT(google-explicit-constructor): as numbers do
      : Fixed(Units{perigee::stub::fixed_rescale(other.units(), S, Scale)}) {}

  /// The value with this scaled integer: 1234 is 12.34 for a scale of two.
  static Fixed from_units(perigee::stub::Int128 units) { return Fixed(Units{units}); }
  [[nodiscard]] constexpr perigee::stub::Int128 units() const noexcept { return units_; }

  /// The number of digits of the value, without zeros in front: 4 for "1.250". At least `Scale`.
  /// `IDL::traits` has the number of digits of the type.
  [[nodiscard]] constexpr std::uint16_t fixed_digits() const noexcept {
    return perigee::stub::count_fixed_digits(units_, Scale);
  }
  /// The number of digits after the point, with zeros: `Scale`.
  [[nodiscard]] static constexpr std::uint16_t fixed_scale() noexcept { return Scale; }

  /// Rounds half away from zero, to `scale` digits after the point.
  [[nodiscard]] Fixed round(std::uint16_t scale) const {
    return Fixed(Units{perigee::stub::fixed_round(units_, Scale, scale)});
  }
  [[nodiscard]] Fixed truncate(std::uint16_t scale) const {
    const auto cut = perigee::stub::fixed_rescale(units_, Scale, std::min(scale, Scale));
    return Fixed(Units{perigee::stub::fixed_rescale(cut, std::min(scale, Scale), Scale)});
  }
  /// The value with all digits after the point: "-12.30".
  [[nodiscard]] std::string to_string() const {
    return perigee::stub::fixed_to_string(units_, Scale);
  }
  template <std::floating_point Float>
  explicit operator Float() const {
    return static_cast<Float>(perigee::stub::fixed_to_float(units_, Scale));
  }
  /// Cuts off the digits after the point. Raises DATA_CONVERSION if the value does not fit.
  template <std::integral Integer>
  explicit operator Integer() const {
    const auto whole = perigee::stub::fixed_rescale(units_, Scale, 0);
    const auto result = static_cast<Integer>(whole);
    if (static_cast<perigee::stub::Int128>(result) != whole) perigee::stub::fixed_overflow();
    return result;
  }
  explicit operator bool() const noexcept { return units_ != 0; }

  Fixed operator+() const { return *this; }
  Fixed operator-() const { return Fixed(Units{-units_}); }
  Fixed& operator+=(const Fixed& other) { return *this = *this + other; }
  Fixed& operator-=(const Fixed& other) { return *this = *this - other; }
  Fixed& operator*=(const Fixed& other) { return *this = *this * other; }
  Fixed& operator/=(const Fixed& other) { return *this = *this / other; }
  Fixed& operator++() { return *this += Fixed(1); }
  Fixed& operator--() { return *this -= Fixed(1); }
  Fixed operator++(int) {
    const Fixed before = *this;
    ++*this;
    return before;
  }
  Fixed operator--(int) {
    const Fixed before = *this;
    --*this;
    return before;
  }

  friend constexpr bool operator==(const Fixed&, const Fixed&) = default;
  friend constexpr auto operator<=>(const Fixed&, const Fixed&) = default;

 private:
  struct Units {
    perigee::stub::Int128 value;
  };
  explicit Fixed(Units units) : units_(perigee::stub::checked_fixed(units.value, Digits)) {}

  perigee::stub::Int128 units_ = 0;  // |units_| < ten to the Digits
};

template <std::uint16_t Digits, std::uint16_t Scale>
struct traits<Fixed<Digits, Scale>> : perigee::stub::aggregate_traits<Fixed<Digits, Scale>> {
  using digits = std::integral_constant<std::uint16_t, Digits>;
  using scale = std::integral_constant<std::uint16_t, Scale>;
};

}  // namespace perigee_v1
}  // namespace IDL

namespace perigee::stub {

/// The type of a result with `Whole` digits before the point and `Scale` after it. If these are
/// more than 31 digits, the result has fewer digits after the point. CORBA 3.0, 3.10.2.
template <int Whole, int Scale>
using WideFixed =
    IDL::Fixed<static_cast<std::uint16_t>(std::min(Whole + Scale, fixed_digits_max)),
               static_cast<std::uint16_t>(std::clamp(fixed_digits_max - Whole, 0, Scale))>;

/// The type of a result of an A and a B: A if both are the same type, otherwise a type with these
/// digits.
template <typename A, typename B, int Whole, int Scale>
using FixedResult = std::conditional_t<std::is_same_v<A, B>, A, WideFixed<Whole, Scale>>;

}  // namespace perigee::stub

namespace IDL {
inline namespace perigee_v1 {

template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
auto operator+(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  using Result = perigee::stub::FixedResult<Fixed<D1, S1>, Fixed<D2, S2>,
                                            std::max(D1 - S1, D2 - S2) + 1, std::max(S1, S2)>;
  return Result::from_units(
      perigee::stub::fixed_add(a.units(), S1, b.units(), S2, Result::fixed_scale()));
}

template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
auto operator-(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  return a + (-b);
}

template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
auto operator*(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  using Result =
      perigee::stub::FixedResult<Fixed<D1, S1>, Fixed<D2, S2>, D1 - S1 + D2 - S2, S1 + S2>;
  return Result::from_units(
      perigee::stub::fixed_multiply(a.units(), b.units(), S1 + S2, Result::fixed_scale()));
}

template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
auto operator/(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  using Result = perigee::stub::FixedResult<Fixed<D1, S1>, Fixed<D2, S2>, D1 - S1 + S2,
                                            perigee::stub::fixed_digits_max>;
  return Result::from_units(
      perigee::stub::fixed_divide(a.units(), b.units(), S1 - S2, Result::fixed_scale()));
}

template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
  requires(D1 != D2 || S1 != S2)
bool operator==(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  return perigee::stub::fixed_compare(a.units(), S1, b.units(), S2) == 0;
}
template <std::uint16_t D1, std::uint16_t S1, std::uint16_t D2, std::uint16_t S2>
  requires(D1 != D2 || S1 != S2)
std::strong_ordering operator<=>(const Fixed<D1, S1>& a, const Fixed<D2, S2>& b) {
  return perigee::stub::fixed_compare(a.units(), S1, b.units(), S2);
}

/// Reads a word, as the constructor reads a text. A word that the constructor would refuse sets the
/// stream's failbit, and `value` stays unchanged.
template <std::uint16_t Digits, std::uint16_t Scale>
std::istream& operator>>(std::istream& is, Fixed<Digits, Scale>& value) {
  perigee::stub::Int128 units = value.units();
  perigee::stub::fixed_read(is, Digits, Scale, units);
  value = Fixed<Digits, Scale>::from_units(units);
  return is;
}

/// CORBA 3.0, 15.3.2.8: two decimal digits per octet, the sign in the last half octet.
template <std::uint16_t Digits, std::uint16_t Scale>
perigee::cdr::Encoder& operator<<(perigee::cdr::Encoder& encoder,
                                  const Fixed<Digits, Scale>& value) {
  perigee::stub::encode_fixed(encoder, value.units(), Digits);
  return encoder;
}
template <std::uint16_t Digits, std::uint16_t Scale>
perigee::cdr::Decoder& operator>>(perigee::cdr::Decoder& decoder, Fixed<Digits, Scale>& value) {
  value = Fixed<Digits, Scale>::from_units(perigee::stub::decode_fixed(decoder, Digits));
  return decoder;
}

}  // namespace perigee_v1
}  // namespace IDL

template <std::uint16_t Digits, std::uint16_t Scale>
struct perigee::stub::is_written<IDL::Fixed<Digits, Scale>> : std::true_type {};
