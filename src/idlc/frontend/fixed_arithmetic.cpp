// Schoolbook arithmetic on decimal digits. Values have at most 31 digits, intermediate values 124.
#include "idlc/frontend/fixed_arithmetic.h"

#include <algorithm>
#include <compare>
#include <string>

namespace perigee::idlc {
namespace {

/// Digits of a non-negative integer, the most significant first, without leading zeros.
using Digits = std::string;

Digits trimmed(Digits digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return digits;
}

int digit(char c) { return c - '0'; }
char to_digit(int value) { return static_cast<char>('0' + value); }

bool is_zero(const Digits& digits) { return digits == "0"; }

std::strong_ordering compare(const Digits& a, const Digits& b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

/// `a` + `sign` * `b`, computed from the least significant digit on. `sign` is 1 or -1; for -1, `a`
/// must not be less than `b`.
Digits combine(const Digits& a, const Digits& b, int sign) {
  Digits result;
  int carry = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()) || carry != 0; ++i) {
    const int left = i < a.size() ? digit(a[a.size() - 1 - i]) : 0;
    const int right = i < b.size() ? digit(b[b.size() - 1 - i]) : 0;
    const int sum = left + sign * right + carry + 10;
    result += to_digit(sum % 10);
    carry = sum / 10 - 1;
  }
  std::ranges::reverse(result);
  return trimmed(result);
}

Digits product(const Digits& a, const Digits& b) {
  std::vector<int> sums(a.size() + b.size());
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) sums[i + j + 1] += digit(a[i]) * digit(b[j]);
  }
  Digits result(sums.size(), '0');
  int carry = 0;
  for (std::size_t i = sums.size(); i-- > 0;) {
    const int sum = sums[i] + carry;
    result[i] = to_digit(sum % 10);
    carry = sum / 10;
  }
  return trimmed(result);
}

Digits quotient(const Digits& a, const Digits& b) {
  Digits result;
  Digits rest = "0";
  for (const char next : a) {
    rest = trimmed(rest + next);
    int count = 0;
    for (; compare(rest, b) >= 0; ++count) rest = combine(rest, b, -1);
    result += to_digit(count);
  }
  return trimmed(result);
}

/// `digits` / 10^scale as a value. Drops zeros at the end of the fraction, then digits after the
/// 31st digit.
std::optional<FixedValue> value_of(bool is_negative, Digits digits, std::size_t scale) {
  const auto drop = [&] {
    digits.pop_back();
    --scale;
  };
  while (scale > 0 &&
         (digits.size() > fixed_digits_max || scale > fixed_digits_max || digits.ends_with('0'))) {
    if (digits.size() == 1) digits.insert(0, "0");
    drop();
    digits = trimmed(digits);
    if (is_zero(digits)) scale = 0;
  }
  if (digits.size() > fixed_digits_max) return std::nullopt;
  return FixedValue{is_negative && !is_zero(digits), digits, static_cast<std::uint16_t>(scale)};
}

std::optional<FixedValue> sum(const FixedValue& left, const FixedValue& right, bool is_difference) {
  const std::uint16_t scale = std::max(left.scale, right.scale);
  const Digits a = trimmed(left.digits + Digits(scale - left.scale, '0'));
  const Digits b = trimmed(right.digits + Digits(scale - right.scale, '0'));
  const bool is_right_negative = right.is_negative != is_difference;
  if (left.is_negative == is_right_negative) {
    return value_of(left.is_negative, combine(a, b, 1), scale);
  }
  if (compare(a, b) >= 0) return value_of(left.is_negative, combine(a, b, -1), scale);
  return value_of(is_right_negative, combine(b, a, -1), scale);
}

}  // namespace

std::optional<FixedValue> calculate(const FixedValue& left, char op, const FixedValue& right) {
  const bool is_negative = left.is_negative != right.is_negative;
  switch (op) {
    case '+':
      return sum(left, right, false);
    case '-':
      return sum(left, right, true);
    case '*':
      return value_of(is_negative, product(left.digits, right.digits),
                      std::size_t{left.scale} + right.scale);
    default:
      break;
  }
  if (is_zero(right.digits)) return std::nullopt;
  // Computes enough fractional digits for 31 significant digits.
  const std::size_t more = 2 * fixed_digits_max + right.scale;
  return value_of(is_negative, quotient(left.digits + Digits(more, '0'), right.digits),
                  left.scale + more - right.scale);
}

FixedValue truncated(const FixedValue& value, std::uint16_t scale) {
  FixedValue result = value;
  for (; result.scale > scale; --result.scale) {
    result.digits.pop_back();
    if (result.digits.empty()) result.digits = "0";
  }
  if (is_zero(result.digits)) result = {false, "0", 0};
  return result;
}

}  // namespace perigee::idlc
