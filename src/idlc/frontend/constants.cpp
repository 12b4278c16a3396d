// Computes constant expressions, and converts the results to the types of the constants.
#include "idlc/frontend/constants.h"

#include "idlc/frontend/fixed_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perigee::idlc {
namespace {

constexpr WideInteger signed_min = std::numeric_limits<std::int64_t>::min();
constexpr WideInteger unsigned_max = std::numeric_limits<std::uint64_t>::max();

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string_view kind_of(const Operand& operand) {
  switch (operand.value.index()) {
    case 1:
      return "a boolean";
    case 2:
      return "a character";
    case 3:
      return "a wide character";
    case 4:
      return "an integer";
    case 5:
      return "a floating-point number";
    case 6:
      return "a fixed-point number";
    case 7:
      return "a string";
    case 8:
      return "a wide string";
    default:
      return "an enumerator";
  }
}

Operand integer_result(WideInteger value, Location location, Diagnostics& diagnostics) {
  if (value < signed_min || value > unsigned_max) {
    diagnostics.error(location, "the result does not fit in 64 bits");
    return {{}, location};
  }
  return {value, location};
}

std::string integer_text(WideInteger value) {
  if (value < 0) return '-' + std::to_string(static_cast<std::uint64_t>(-value));
  return std::to_string(static_cast<std::uint64_t>(value));
}

Operand wrong_operand(std::string_view op, const Operand& operand, Diagnostics& diagnostics) {
  diagnostics.error(operand.location,
                    quoted(op) + " cannot be applied to " + std::string(kind_of(operand)));
  return {{}, operand.location};
}

Operand shift(std::string_view op, WideInteger left, const Operand& right,
              const ArithmeticContext& context) {
  const WideInteger count = std::get<WideInteger>(right.value);
  if (count < 0 || count > 63) {
    context.diagnostics.error(right.location, "the shift count must be from 0 to 63");
    return {{}, right.location};
  }
  const int bits = static_cast<int>(count);
  if (op == ">>") return {left >> bits, right.location};
  // Multiplies, because the result of a left shift of a negative number is less obvious to readers.
  return integer_result(left * (WideInteger{1} << bits), right.location, context.diagnostics);
}

Operand integer_binary(std::string_view op, const Operand& left_operand, const Operand& right,
                       const ArithmeticContext& context) {
  const WideInteger a = std::get<WideInteger>(left_operand.value);
  const WideInteger b = std::get<WideInteger>(right.value);
  const Location location = left_operand.location;
  if (op == "<<" || op == ">>") return shift(op, a, right, context);
  if ((op == "/" || op == "%") && b == 0) {
    context.diagnostics.error(right.location, "division by zero");
    return {{}, location};
  }
  WideInteger result = 0;
  if (op == "|") result = a | b;
  if (op == "^") result = a ^ b;
  if (op == "&") result = a & b;
  if (op == "+") result = a + b;
  if (op == "-") result = a - b;
  // Two 64-bit magnitudes: their product overflows only if both are huge unsigned numbers.
  if (op == "*" && __builtin_mul_overflow(a, b, &result)) result = unsigned_max + 1;
  if (op == "/") result = a / b;
  if (op == "%") result = a % b;
  return integer_result(result, location, context.diagnostics);
}

bool is_real(const Operand& operand) {
  return std::holds_alternative<long double>(operand.value) ||
         std::holds_alternative<WideInteger>(operand.value);
}

long double real(const Operand& operand) {
  if (const auto* integer = std::get_if<WideInteger>(&operand.value)) {
    return static_cast<long double>(*integer);
  }
  return std::get<long double>(operand.value);
}

Operand real_binary(std::string_view op, const Operand& left, const Operand& right,
                    const ArithmeticContext& context) {
  const long double a = real(left);
  const long double b = real(right);
  long double result = 0;
  if (op == "+") {
    result = a + b;
  } else if (op == "-") {
    result = a - b;
  } else if (op == "*") {
    result = a * b;
  } else if (op == "/") {
    if (b == 0) {
      context.diagnostics.error(right.location, "division by zero");
      return {{}, left.location};
    }
    result = a / b;
  } else {
    const bool is_left = std::holds_alternative<long double>(left.value);
    return wrong_operand(op, is_left ? left : right, context.diagnostics);
  }
  if (!std::isfinite(result)) {
    context.diagnostics.error(left.location, "the result is out of the range of long double");
    return {{}, left.location};
  }
  return {result, left.location};
}

Operand fixed_binary(std::string_view op, const Operand& left, const Operand& right,
                     const ArithmeticContext& context) {
  constexpr std::string_view operators = "+-*/";
  if (op.size() != 1 || operators.find(op.front()) == std::string_view::npos) {
    return wrong_operand(op, left, context.diagnostics);
  }
  const FixedValue& divisor = std::get<FixedValue>(right.value);
  if (op == "/" && divisor.digits == "0") {
    context.diagnostics.error(right.location, "division by zero");
    return {{}, left.location};
  }
  const auto result = calculate(std::get<FixedValue>(left.value), op.front(), divisor);
  if (!result) {
    context.diagnostics.error(left.location, "the result has more than 31 digits before the point");
    return {{}, left.location};
  }
  return {*result, left.location};
}

}  // namespace

std::optional<IntegerRange> integer_range(TypeKind kind) {
  const auto range = []<typename T>(T) {
    return IntegerRange{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  };
  switch (kind) {
    case TypeKind::octet:
    case TypeKind::uint8:
      return range(std::uint8_t{});
    case TypeKind::int8:
      return range(std::int8_t{});
    case TypeKind::int16:
      return range(std::int16_t{});
    case TypeKind::uint16:
      return range(std::uint16_t{});
    case TypeKind::int32:
      return range(std::int32_t{});
    case TypeKind::uint32:
      return range(std::uint32_t{});
    case TypeKind::int64:
      return range(std::int64_t{});
    case TypeKind::uint64:
      return range(std::uint64_t{});
    default:
      return std::nullopt;
  }
}

Operand apply_unary(std::string_view op, const Operand& operand, const ArithmeticContext& context) {
  if (!operand.is_valid()) return operand;
  if (const auto* integer = std::get_if<WideInteger>(&operand.value)) {
    if (op == "+") return operand;
    if (op == "-") return integer_result(-*integer, operand.location, context.diagnostics);
    // CORBA 3.0, 3.10.2: ~ gives -(value+1) for signed types and (2^width - 1) - value for unsigned
    // ones.
    const auto range =
        context.target == nullptr ? std::nullopt : integer_range(context.target->kind);
    const bool is_unsigned = range && range->least == 0;
    const WideInteger complement = is_unsigned ? range->greatest - *integer : -*integer - 1;
    return integer_result(complement, operand.location, context.diagnostics);
  }
  if (op != "~") {
    if (const auto* number = std::get_if<long double>(&operand.value)) {
      return {op == "-" ? -*number : *number, operand.location};
    }
    if (const auto* fixed = std::get_if<FixedValue>(&operand.value)) {
      Operand result = operand;
      std::get<FixedValue>(result.value).is_negative = (op == "-") != fixed->is_negative;
      return result;
    }
  }
  return wrong_operand(op, operand, context.diagnostics);
}

Operand apply_binary(std::string_view op, const Operand& left, const Operand& right,
                     const ArithmeticContext& context) {
  if (!left.is_valid() || !right.is_valid()) return {{}, left.location};
  const bool is_left_integer = std::holds_alternative<WideInteger>(left.value);
  const bool is_right_integer = std::holds_alternative<WideInteger>(right.value);
  if (is_left_integer && is_right_integer) return integer_binary(op, left, right, context);
  if (is_real(left) && is_real(right)) return real_binary(op, left, right, context);
  const bool is_left_fixed = std::holds_alternative<FixedValue>(left.value);
  const bool is_right_fixed = std::holds_alternative<FixedValue>(right.value);
  if (is_left_fixed && is_right_fixed) return fixed_binary(op, left, right, context);
  if ((is_real(left) || is_left_fixed) && (is_real(right) || is_right_fixed)) {
    context.diagnostics.error(right.location,
                              "fixed-point numbers cannot be mixed with other numbers");
    return {{}, left.location};
  }
  return wrong_operand(op, is_real(left) || is_left_fixed ? right : left, context.diagnostics);
}

Operand operand_of(const Value& value, Location location) {
  Operand operand;
  operand.location = location;
  std::visit(
      [&]<typename T>(const T& alternative) {
        if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>) {
          operand.value = WideInteger{alternative};
        } else {
          operand.value = alternative;
        }
      },
      value);
  return operand;
}

Value natural_value(const Operand& operand) {
  Value result;
  std::visit(
      [&]<typename T>(const T& alternative) {
        if constexpr (std::is_same_v<T, WideInteger>) {
          if (alternative <= std::numeric_limits<std::int64_t>::max()) {
            result = static_cast<std::int64_t>(alternative);
          } else {
            result = static_cast<std::uint64_t>(alternative);
          }
        } else {
          result = alternative;
        }
      },
      operand.value);
  return result;
}

namespace {

class Conversion final {
 public:
  Conversion(const Operand& operand, const Type& written, Diagnostics& diagnostics)
      : operand_(operand),
        written_(written),
        type_(unaliased(written)),
        diagnostics_(diagnostics) {}

  std::optional<Value> run() {
    if (!operand_.is_valid()) return std::nullopt;
    if (integer_range(type_.kind)) return integer();
    switch (type_.kind) {
      case TypeKind::boolean:
        return same<bool>();
      case TypeKind::char8:
        return same<char>();
      case TypeKind::wchar:
        return wide_character();
      case TypeKind::float32:
        return floating<float>();
      case TypeKind::float64:
        return floating<double>();
      case TypeKind::float128:
        return floating<long double>();
      case TypeKind::fixed:
        return fixed();
      case TypeKind::string:
        return text(std::get_if<std::string>(&operand_.value));
      case TypeKind::wstring:
        return wide_string();
      case TypeKind::enumeration:
        return enumerator();
      default:
        return mismatch();
    }
  }

 private:
  std::optional<Value> mismatch() {
    diagnostics_
        .error(operand_.location, "expected a value of type '" + to_text(written_) + "', found " +
                                      std::string(kind_of(operand_)))
        .hint = literal_hint();
    return std::nullopt;
  }

  /// The form of a literal of the type, if the user probably meant such a literal.
  [[nodiscard]] std::string literal_hint() const {
    const bool is_narrow = std::holds_alternative<char>(operand_.value) ||
                           std::holds_alternative<std::string>(operand_.value);
    const bool is_text = is_narrow || std::holds_alternative<char32_t>(operand_.value) ||
                         std::holds_alternative<std::u32string>(operand_.value);
    switch (type_.kind) {
      case TypeKind::boolean:
        return "a boolean is TRUE or FALSE";
      case TypeKind::char8:
        return is_text ? "a char is written with single quotes: 'x'" : "";
      case TypeKind::wchar:
        return is_narrow ? "a wchar is written L'x'" : "";
      case TypeKind::string:
        return is_text ? "a string is written with double quotes: \"x\"" : "";
      case TypeKind::wstring:
        return is_narrow ? "a wstring is written L\"x\"" : "";
      case TypeKind::fixed:
        return is_real(operand_) ? "a fixed-point number ends with d: 1.5d" : "";
      default:
        return "";
    }
  }

  std::optional<Value> integer() {
    const auto* value = std::get_if<WideInteger>(&operand_.value);
    if (value == nullptr) return mismatch();
    const IntegerRange range = *integer_range(type_.kind);
    if (*value < range.least || *value > range.greatest) {
      diagnostics_.error(operand_.location, integer_text(*value) + " is out of the range of '" +
                                                to_text(written_) + "', " +
                                                integer_text(range.least) + " to " +
                                                integer_text(range.greatest));
      return std::nullopt;
    }
    if (range.least == 0) return static_cast<std::uint64_t>(*value);
    return static_cast<std::int64_t>(*value);
  }

  template <typename T>
  std::optional<Value> same() {
    const auto* value = std::get_if<T>(&operand_.value);
    if (value == nullptr) return mismatch();
    return *value;
  }

  /// Rounds to the nearest value of the type. An error if rounding makes the value infinite or
  /// zero.
  template <typename T>
  std::optional<Value> floating() {
    using Limits = std::numeric_limits<T>;
    if (!is_real(operand_)) return mismatch();
    const long double value = real(operand_);
    constexpr auto greatest = static_cast<long double>(Limits::max());
    const long double half_step = std::ldexp(1.0L, Limits::max_exponent - Limits::digits - 1);
    const bool is_infinite = !(std::fabs(value) < greatest + half_step);
    const T rounded = is_infinite ? T{} : static_cast<T>(std::clamp(value, -greatest, greatest));
    if (is_infinite || (rounded == 0 && value != 0)) {
      diagnostics_.error(
          operand_.location,
          is_infinite
              ? "the value is out of the range of '" + to_text(written_) + "'"
              : "the value is too small for '" + to_text(written_) + "': it would become 0");
      return std::nullopt;
    }
    return static_cast<long double>(rounded);
  }

  std::optional<Value> fixed() {
    const auto* value = std::get_if<FixedValue>(&operand_.value);
    if (value == nullptr) return mismatch();
    const std::size_t whole =
        value->digits.size() > value->scale ? value->digits.size() - value->scale : 0;
    // The type of a constant is written without digits and accepts any value.
    if (type_.digits != 0 && whole > static_cast<std::size_t>(type_.digits - type_.scale)) {
      diagnostics_.error(operand_.location,
                         "the value is out of the range of '" + to_text(written_) + "'");
      return std::nullopt;
    }
    if (type_.digits == 0 || value->scale <= type_.scale) return *value;
    diagnostics_.warning(Warning::fixed_truncated, operand_.location,
                         "the value has more than the " + std::to_string(type_.scale) +
                             " digits after the point that '" + to_text(written_) +
                             "' has: the others are cut off");
    return truncated(*value, type_.scale);
  }

  /// A narrow literal of ASCII characters has the same meaning as a wide one. Other octets have no
  /// known character set.
  std::optional<Value> wide_character() {
    const auto* narrow = std::get_if<char>(&operand_.value);
    if (narrow == nullptr || !is_ascii({narrow, 1})) return same<char32_t>();
    warn_of_narrow("a character");
    return static_cast<char32_t>(*narrow);
  }

  std::optional<Value> wide_string() {
    const auto* narrow = std::get_if<std::string>(&operand_.value);
    if (narrow == nullptr || !is_ascii(*narrow))
      return text(std::get_if<std::u32string>(&operand_.value));
    warn_of_narrow("a string");
    const std::u32string wide(narrow->begin(), narrow->end());
    return text(&wide);
  }

  static bool is_ascii(std::string_view octets) {
    return std::ranges::all_of(octets, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  }

  void warn_of_narrow(std::string_view what) {
    diagnostics_
        .warning(Warning::literal_kind, operand_.location,
                 std::string(what) + " without L is the value of a constant of type " +
                     quoted(to_text(written_)))
        .hint = literal_hint();
  }

  template <typename T>
  std::optional<Value> text(const T* value) {
    if (value == nullptr) return mismatch();
    if (value->find(typename T::value_type{}) != T::npos) {
      diagnostics_.error(operand_.location, "a string may not contain the character '\\0'");
      return std::nullopt;
    }
    if (type_.bound != 0 && value->size() > type_.bound) {
      diagnostics_.error(operand_.location, "the string has " + std::to_string(value->size()) +
                                                " characters, more than the bound of '" +
                                                to_text(written_) + "'");
      return std::nullopt;
    }
    return *value;
  }

  std::optional<Value> enumerator() {
    const auto* value = std::get_if<const Enumerator*>(&operand_.value);
    if (value == nullptr) return mismatch();
    if ((*value)->enumeration != type_.declaration) {
      diagnostics_.error(operand_.location, "'" + (*value)->name + "' is an enumerator of '" +
                                                (*value)->enumeration->scoped_name + "', not of '" +
                                                type_.declaration->scoped_name + "'");
      return std::nullopt;
    }
    return *value;
  }

  const Operand& operand_;
  const Type& written_;
  const Type& type_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Value> convert(const Operand& operand, const Type& type, Diagnostics& diagnostics) {
  return Conversion(operand, type, diagnostics).run();
}

}  // namespace perigee::idlc
