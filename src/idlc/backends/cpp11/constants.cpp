// Writes the values of constants as C++ literals.
#include "idlc/backends/cpp11/constants.h"

#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <limits>

namespace perigee::idlc::cpp11 {

namespace {

/// The shortest text that gives the same value when it is read again, with a point or an exponent.
template <typename Float>
std::string float_text(Float value, std::string_view suffix) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text.append(suffix);
}

std::string signed_text(std::int64_t value, TypeKind kind) {
  // The magnitude of this number does not fit into a literal: C++ has no negative literals.
  if (value == std::numeric_limits<std::int64_t>::min()) return "-9223372036854775807LL - 1";
  return std::to_string(value) + (kind == TypeKind::int64 ? "LL" : "");
}

std::string unsigned_text(std::uint64_t value, TypeKind kind) {
  std::string text = std::to_string(value);
  if (kind == TypeKind::uint64) return text + "ULL";
  return kind == TypeKind::uint32 ? text + "U" : text;
}

std::string character_text(char character) {
  if (character == '\'') return R"('\'')";
  if (character == '"') return R"('"')";
  const std::string literal = string_literal(std::string_view(&character, 1));
  return "'" + literal.substr(1, literal.size() - 2) + "'";
}

/// An octal escape has exactly three digits, so digits may follow it. Universal character names
/// begin at U+00A0.
std::string wide_character(char32_t character) {
  const bool is_surrogate = character >= 0xd800 && character <= 0xdfff;
  if (character == U'\'' || character == U'"' || character == U'\\' || character == U'?')
    return {'\\', static_cast<char>(character)};
  if (character >= 0x20 && character < 0x7f) return {static_cast<char>(character)};
  std::array<char, 16> text{};
  const char* format = character < 0xa0 ? "\\%03o" : is_surrogate ? "\\x%04x" : "\\U%08x";
  std::snprintf(text.data(), text.size(), format, static_cast<unsigned>(character));
  return text.data();
}

std::string wide_text(const std::u32string& value) {
  std::string result = "L\"";
  for (const char32_t character : value) {
    const std::string text = wide_character(character);
    result.append(text).append(text.starts_with("\\x") ? "\" L\"" : "");  // \x takes all digits
  }
  return result + '"';
}

std::string floating_text(long double value, TypeKind kind) {
  if (kind == TypeKind::float32) return float_text(static_cast<float>(value), "F");
  if (kind == TypeKind::float64) return float_text(static_cast<double>(value), "");
  return float_text(value, "L");
}

/// The digits divided by a power of ten, as a string literal: no C++ literal has so many digits.
std::string fixed_text(const FixedValue& value) {
  std::string digits = value.digits;
  if (digits.size() <= value.scale) digits.insert(0, value.scale + 1 - digits.size(), '0');
  if (value.scale != 0) digits.insert(digits.size() - value.scale, ".");
  return "\"" + std::string(value.is_negative ? "-" : "") + digits + "\"";
}

/// `fixed` without digits gets the digits of its value.
std::string constant_type(const Constant& constant) {
  const Type& type = unaliased(*constant.type);
  const auto* value = std::get_if<FixedValue>(&constant.value);
  if (value == nullptr || type.digits != 0) return cpp_type(*constant.type);
  const std::size_t digits =
      std::max({value->digits.size(), std::size_t{value->scale}, std::size_t{1}});
  return "::IDL::Fixed<" + std::to_string(digits) + ", " + std::to_string(value->scale) + ">";
}

struct ValueText {
  TypeKind kind;

  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(char value) const { return character_text(value); }
  std::string operator()(std::int64_t value) const { return signed_text(value, kind); }
  std::string operator()(std::uint64_t value) const { return unsigned_text(value, kind); }
  std::string operator()(long double value) const { return floating_text(value, kind); }
  std::string operator()(const std::string& value) const { return string_literal(value); }
  std::string operator()(const FixedValue& value) const { return fixed_text(value); }
  std::string operator()(char32_t value) const { return "L'" + wide_character(value) + "'"; }
  std::string operator()(const std::u32string& value) const { return wide_text(value); }
  std::string operator()(const Enumerator* value) const {
    return qualified_name(*value->enumeration) + "::" + cpp_name(value->name);
  }
  template <typename Other>
  std::string operator()(const Other&) const {
    return "{}";  // monostate: the front end has refused the constant
  }
};

}  // namespace

std::string value_text(const Value& value, const Type& type) {
  return std::visit(ValueText{unaliased(type).kind}, value);
}

void declare_constant(Writer& writer, const Constant& constant, Scope scope) {
  const TypeKind kind = unaliased(*constant.type).kind;
  const bool is_text = kind == TypeKind::string || kind == TypeKind::wstring;
  const bool in_class = scope == Scope::class_scope;
  const std::string_view text_prefix = in_class ? "inline static const " : "inline const ";
  const std::string_view prefix = in_class ? "static constexpr " : "inline constexpr ";
  const bool is_fixed = kind == TypeKind::fixed;
  // The constructor of fixed from text is explicit, and a class member must not have parentheses.
  writer.write(is_fixed ? "$prefix$$type$ $name${$value$};" : "$prefix$$type$ $name$ = $value$;",
               {{"prefix", is_text ? text_prefix : prefix},
                {"type", constant_type(constant)},
                {"name", cpp_name(constant)},
                {"value", value_text(constant.value, *constant.type)}});
}

}  // namespace perigee::idlc::cpp11
