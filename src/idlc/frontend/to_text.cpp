// Writes types, values and kinds in the words of IDL: for diagnostics and the dump.
#include "idlc/frontend/model.h"

#include <array>
#include <charconv>

namespace perigee::idlc {
namespace {

constexpr std::string_view hexadecimal = "0123456789abcdef";

void append_escaped(std::string& out, char32_t value, char quote, bool is_wide) {
  constexpr std::string_view special = "\n\t\v\b\r\f\a";
  constexpr std::string_view names = "ntvbrfa";
  if (value < 0x80 && special.find(static_cast<char>(value)) != std::string_view::npos) {
    out += '\\';
    out += names[special.find(static_cast<char>(value))];
  } else if (value == static_cast<unsigned char>(quote) || value == '\\') {
    out += '\\';
    out += static_cast<char>(value);
  } else if (value >= 0x20 && value < 0x7f) {
    out += static_cast<char>(value);
  } else if (!is_wide) {
    // An octal escape has a fixed length, so a digit may follow.
    out += '\\';
    for (const unsigned shift : {6u, 3u, 0u})
      out += static_cast<char>('0' + ((value >> shift) & 7u));
  } else {
    out += "\\u";
    const int digits = value > 0xffff ? 8 : 4;
    for (int i = digits - 1; i >= 0; --i) out += hexadecimal[(value >> (4 * i)) & 15u];
  }
}

template <typename Real>
std::string real_text(Real value) {
  std::array<char, 64> buffer{};
  const auto [end, code] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string fixed_text(const FixedValue& value) {
  std::string digits = value.digits;
  if (value.scale > 0) {
    while (digits.size() <= value.scale) digits.insert(0, "0");
    digits.insert(digits.size() - value.scale, ".");
  }
  return (value.is_negative ? "-" : "") + digits + 'd';
}

struct ToText {
  std::string operator()(std::monostate) const { return "?"; }
  std::string operator()(bool value) const { return value ? "TRUE" : "FALSE"; }
  std::string operator()(char value) const {
    std::string out = "'";
    append_escaped(out, static_cast<unsigned char>(value), '\'', false);
    return out + '\'';
  }
  std::string operator()(char32_t value) const {
    std::string out = "L'";
    append_escaped(out, value, '\'', true);
    return out + '\'';
  }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(long double value) const { return real_text(value); }
  std::string operator()(const FixedValue& value) const { return fixed_text(value); }
  std::string operator()(const std::string& value) const {
    std::string out = "\"";
    for (const char c : value) append_escaped(out, static_cast<unsigned char>(c), '"', false);
    return out + '"';
  }
  std::string operator()(const std::u32string& value) const {
    std::string out = "L\"";
    for (const char32_t c : value) append_escaped(out, c, '"', true);
    return out + '"';
  }
  std::string operator()(const Enumerator* value) const { return value->scoped_name; }
};

std::string template_text(std::string_view name, const Type& type) {
  std::string out(name);
  out += '<';
  if (type.key != nullptr) out += to_text(*type.key) + ", ";
  if (type.element != nullptr) out += to_text(*type.element);
  if (type.bound != 0) out += (type.element != nullptr ? ", " : "") + std::to_string(type.bound);
  return out + '>';
}

std::string_view basic_text(TypeKind kind) {
  switch (kind) {
    case TypeKind::void_type:
      return "void";
    case TypeKind::boolean:
      return "boolean";
    case TypeKind::octet:
      return "octet";
    case TypeKind::char8:
      return "char";
    case TypeKind::wchar:
      return "wchar";
    case TypeKind::int8:
      return "int8";
    case TypeKind::uint8:
      return "uint8";
    case TypeKind::int16:
      return "short";
    case TypeKind::uint16:
      return "unsigned short";
    case TypeKind::int32:
      return "long";
    case TypeKind::uint32:
      return "unsigned long";
    case TypeKind::int64:
      return "long long";
    case TypeKind::uint64:
      return "unsigned long long";
    case TypeKind::float32:
      return "float";
    case TypeKind::float64:
      return "double";
    case TypeKind::float128:
      return "long double";
    case TypeKind::any:
      return "any";
    case TypeKind::object:
      return "Object";
    case TypeKind::value_base:
      return "ValueBase";
    case TypeKind::type_code:
      return "::CORBA::TypeCode";
    default:
      return "";
  }
}

}  // namespace

std::string to_text(const Value& value) { return std::visit(ToText{}, value); }

std::string to_text(const Value& value, const Type& type) {
  const auto* real = std::get_if<long double>(&value);
  const TypeKind kind = unaliased(type).kind;
  if (real != nullptr && kind == TypeKind::float32) return real_text(static_cast<float>(*real));
  if (real != nullptr && kind == TypeKind::float64) return real_text(static_cast<double>(*real));
  return to_text(value);
}

std::string to_text(const Type& type) {
  switch (type.kind) {
    case TypeKind::string:
      return type.bound == 0 ? "string" : template_text("string", type);
    case TypeKind::wstring:
      return type.bound == 0 ? "wstring" : template_text("wstring", type);
    case TypeKind::sequence:
      return template_text("sequence", type);
    case TypeKind::map:
      return template_text("map", type);
    case TypeKind::optional:
      return "@optional " + to_text(*type.element);
    case TypeKind::fixed:
      return type.digits == 0
                 ? "fixed"
                 : "fixed<" + std::to_string(type.digits) + ", " + std::to_string(type.scale) + '>';
    case TypeKind::array: {
      std::string out = to_text(*type.element);
      for (const std::uint64_t dimension : type.dimensions)
        out += '[' + std::to_string(dimension) + ']';
      return out;
    }
    default:
      break;
  }
  return type.declaration != nullptr ? type.declaration->scoped_name
                                     : std::string(basic_text(type.kind));
}

std::string_view to_text(DeclarationKind kind) {
  switch (kind) {
    case DeclarationKind::module:
      return "module";
    case DeclarationKind::interface:
      return "interface";
    case DeclarationKind::forward:
      return "forward declaration";
    case DeclarationKind::operation:
      return "operation";
    case DeclarationKind::attribute:
      return "attribute";
    case DeclarationKind::exception:
      return "exception";
    case DeclarationKind::structure:
      return "struct";
    case DeclarationKind::union_type:
      return "union";
    case DeclarationKind::enumeration:
      return "enum";
    case DeclarationKind::enumerator:
      return "enumerator";
    case DeclarationKind::type_definition:
      return "typedef";
    case DeclarationKind::constant:
      return "constant";
    case DeclarationKind::native:
      return "native type";
    case DeclarationKind::value_type:
      return "valuetype";
    case DeclarationKind::value_box:
      return "boxed value";
    case DeclarationKind::factory:
      return "factory";
    case DeclarationKind::bitmask:
      return "bitmask";
    case DeclarationKind::bitset:
      return "bitset";
  }
  return "";
}

}  // namespace perigee::idlc
