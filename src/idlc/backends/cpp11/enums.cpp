// Enums. On the wire an enum is an unsigned long, the enumerator's ordinal. With @value or
// @bit_bound of IDL 4, it is the enumerator's value in as few octets as the bound allows:
// docs/mapping.md.
#include "idlc/backends/cpp11/enums.h"

#include "idlc/backends/cpp11/names.h"
#include "idlc/backends/cpp11/types.h"

#include <algorithm>

namespace perigee::idlc::cpp11 {

namespace {

constexpr std::uint32_t bit_bound_max = 32;

bool has_values(const Enum& enumeration) {
  return std::ranges::any_of(enumeration.enumerators, [](const Enumerator* enumerator) {
    return enumerator->annotation("value") != nullptr;
  });
}

std::string underlying_type(const Enum& enumeration) {
  const std::string type = bits_type(bit_bound(enumeration));
  const bool is_signed = std::ranges::any_of(
      enumeration.enumerators, [](const Enumerator* enumerator) { return enumerator->value < 0; });
  return is_signed ? type.substr(1) : type;  // uint8_t, int8_t
}

void define_enumerator_name(Writer& writer, const Enum& enumeration, const std::string& type_name) {
  writer.list("std::string_view _enumerator_name(", {type_name + " _value"}, ") noexcept {");
  const Indented body(writer);
  writer.write("switch (_value) {");
  for (const Enumerator* enumerator : enumeration.enumerators)
    writer.write("  case $type$::$name$: return $text$;",
                 {{"type", type_name},
                  {"name", cpp_name(enumerator->name)},
                  {"text", string_literal(enumerator->name)}});
  writer.write("}\nreturn {};");
}

constexpr std::string_view value_decoder = R"(
  _value = static_cast<$type$>(_decoder.read<$underlying$>());
  if (_enumerator_name(_value).empty()) {
    _decoder.fail(::perigee::cdr::ErrorKind::bad_enum);
    _value = $type$::$first$;
  }
  return _decoder;
}

)";

constexpr std::string_view ordinal_decoder = R"(
  _value = static_cast<$type$>(_decoder.read_enum($count$));
  return _decoder;
}

)";

}  // namespace

std::uint32_t bit_bound(const Enum& enumeration) {
  const Annotation* annotation = enumeration.annotation("bit_bound");
  if (annotation == nullptr || annotation->parameters.empty()) return bit_bound_max;
  const auto* bound = std::get_if<std::int64_t>(&annotation->parameters.front().value);
  return bound == nullptr ? bit_bound_max : static_cast<std::uint32_t>(*bound);
}

bool travels_by_value(const Enum& enumeration) {
  return has_values(enumeration) || enumeration.annotation("bit_bound") != nullptr;
}

void declare_enum(Writer& writer, const Enum& enumeration) {
  std::vector<std::string> enumerators;
  const bool with_values = has_values(enumeration);
  for (const Enumerator* enumerator : enumeration.enumerators) {
    const std::string value = with_values ? " = " + std::to_string(enumerator->value) : "";
    enumerators.push_back(cpp_name(enumerator->name) + value);
  }
  writer.list("enum class " + cpp_name(enumeration) + " : " + underlying_type(enumeration) + " { ",
              enumerators, " };");
}

void define_enum(Writer& writer, const Enum& enumeration, const std::string& type_name) {
  const bool by_value = travels_by_value(enumeration);
  const std::string underlying = underlying_type(enumeration);
  writer.list("::perigee::cdr::Encoder& operator<<(",
              {"::perigee::cdr::Encoder& _encoder", type_name + " _value"}, ") {");
  writer.write("  _encoder.$write$(static_cast<$underlying$>(_value));\n  return _encoder;\n}\n\n",
               {{"write", by_value ? "write" : "write_enum"}, {"underlying", underlying}});
  writer.list("::perigee::cdr::Decoder& operator>>(",
              {"::perigee::cdr::Decoder& _decoder", type_name + "& _value"}, ") {");
  writer.write(by_value ? value_decoder : ordinal_decoder,
               {{"type", type_name},
                {"underlying", underlying},
                {"first", cpp_name(enumeration.enumerators.front()->name)},
                {"count", std::to_string(enumeration.enumerators.size())}});
  define_enumerator_name(writer, enumeration, type_name);
  writer.write("}");
}

}  // namespace perigee::idlc::cpp11
