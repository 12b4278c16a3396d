// Constants' values as C++ literals; enums.
#include "idlc/backends/cpp11/constants.h"

#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"

#include <array>
#include <charconv>
#include <limits>

namespace perigee::idlc::cpp11 {

namespace {

/// The shortest text that reads back as the same value, with a point or an exponent.
template <typename Float>
std::string float_text(Float value, std::string_view suffix) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text.append(suffix);
}

std::string signed_text(std::int64_t value, TypeKind kind) {
  // The literal's magnitude does not fit: C++ has no negative literals.
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

std::string floating_text(long double value, TypeKind kind) {
  if (kind == TypeKind::float32) return float_text(static_cast<float>(value), "F");
  if (kind == TypeKind::float64) return float_text(static_cast<double>(value), "");
  return float_text(value, "L");
}

struct ValueText {
  TypeKind kind;

  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(char value) const { return character_text(value); }
  std::string operator()(std::int64_t value) const { return signed_text(value, kind); }
  std::string operator()(std::uint64_t value) const { return unsigned_text(value, kind); }
  std::string operator()(long double value) const { return floating_text(value, kind); }
  std::string operator()(const std::string& value) const { return string_literal(value); }
  std::string operator()(const Enumerator* value) const {
    return qualified_name(*value->enumeration) + "::" + cpp_name(value->name);
  }
  template <typename Other>
  std::string operator()(const Other&) const {
    return "{}";  // wide and fixed constants: support.cpp refused them
  }
};

}  // namespace

std::string value_text(const Constant& constant) {
  return std::visit(ValueText{unaliased(*constant.type).kind}, constant.value);
}

void declare_constant(Writer& writer, const Constant& constant, Scope scope) {
  const bool is_text = unaliased(*constant.type).kind == TypeKind::string;
  const bool in_class = scope == Scope::class_scope;
  const std::string_view text_prefix = in_class ? "inline static const " : "inline const ";
  const std::string_view prefix = in_class ? "static constexpr " : "inline constexpr ";
  writer.write("$prefix$$type$ $name$ = $value$;", {{"prefix", is_text ? text_prefix : prefix},
                                                    {"type", cpp_type(*constant.type)},
                                                    {"name", cpp_name(constant)},
                                                    {"value", value_text(constant)}});
}

void declare_enum(Writer& writer, const Enum& enumeration) {
  std::vector<std::string> enumerators;
  for (const Enumerator* enumerator : enumeration.enumerators)
    enumerators.push_back(cpp_name(enumerator->name));
  writer.list("enum class " + cpp_name(enumeration) + " : uint32_t { ", enumerators, " };");
}

namespace {

void define_enumerator_name(Writer& writer, const Enum& enumeration, const std::string& type_name) {
  writer.list("std::string_view _enumerator_name(", {type_name + " value"}, ") noexcept {");
  const Indented body(writer);
  writer.write("switch (value) {");
  for (const Enumerator* enumerator : enumeration.enumerators)
    writer.write("  case $type$::$name$: return $text$;",
                 {{"type", type_name},
                  {"name", cpp_name(enumerator->name)},
                  {"text", string_literal(enumerator->name)}});
  writer.write("}\nreturn {};");
}

}  // namespace

void define_enum(Writer& writer, const Enum& enumeration, const std::string& type_name) {
  writer.list("::perigee::cdr::Encoder& operator<<(",
              {"::perigee::cdr::Encoder& encoder", type_name + " value"}, ") {");
  writer.write(R"(
  encoder.write_enum(static_cast<uint32_t>(value));
  return encoder;
}

)");
  writer.list("::perigee::cdr::Decoder& operator>>(",
              {"::perigee::cdr::Decoder& decoder", type_name + "& value"}, ") {");
  writer.write(R"(
  value = static_cast<$type$>(decoder.read_enum($count$));
  return decoder;
}

)",
               {{"type", type_name}, {"count", std::to_string(enumeration.enumerators.size())}});
  define_enumerator_name(writer, enumeration, type_name);
  writer.write("}");
}

}  // namespace perigee::idlc::cpp11
