// Types as IDL would write them.
#include "cdr/typecode_label.h"
#include <perigee/cdr/typecode.h>

#include <algorithm>
#include <iterator>

namespace perigee::cdr {

namespace {

struct Keyword {
  TypeKind kind;
  std::string_view text;
};

constexpr Keyword keywords[] = {
    {TypeKind::tk_null, "null"},
    {TypeKind::tk_void, "void"},
    {TypeKind::tk_short, "short"},
    {TypeKind::tk_long, "long"},
    {TypeKind::tk_ushort, "unsigned short"},
    {TypeKind::tk_ulong, "unsigned long"},
    {TypeKind::tk_float, "float"},
    {TypeKind::tk_double, "double"},
    {TypeKind::tk_boolean, "boolean"},
    {TypeKind::tk_char, "char"},
    {TypeKind::tk_octet, "octet"},
    {TypeKind::tk_any, "any"},
    {TypeKind::tk_TypeCode, "CORBA::TypeCode"},
    {TypeKind::tk_Principal, "CORBA::Principal"},
    {TypeKind::tk_objref, "interface"},
    {TypeKind::tk_struct, "struct"},
    {TypeKind::tk_union, "union"},
    {TypeKind::tk_enum, "enum"},
    {TypeKind::tk_string, "string"},
    {TypeKind::tk_sequence, "sequence"},
    {TypeKind::tk_array, "array"},
    {TypeKind::tk_alias, "typedef"},
    {TypeKind::tk_except, "exception"},
    {TypeKind::tk_longlong, "long long"},
    {TypeKind::tk_ulonglong, "unsigned long long"},
    {TypeKind::tk_longdouble, "long double"},
    {TypeKind::tk_wchar, "wchar"},
    {TypeKind::tk_wstring, "wstring"},
    {TypeKind::tk_fixed, "fixed"},
    {TypeKind::tk_value, "valuetype"},
    {TypeKind::tk_value_box, "valuetype"},
    {TypeKind::tk_native, "native"},
    {TypeKind::tk_abstract_interface, "abstract interface"},
    {TypeKind::tk_local_interface, "local interface"},
    {TypeKind::tk_component, "component"},
    {TypeKind::tk_home, "home"},
    {TypeKind::tk_event, "eventtype"},
    {TypeKind::tk_int8, "int8"},
    {TypeKind::tk_map, "map"},
    {TypeKind::tk_bitmask, "bitmask"},
    {TypeKind::tk_bitset, "bitset"},
    {TypeKind::tk_valued_enum, "enum"},
    {TypeKind::tk_recursive, "recursive"},
};

std::string_view keyword(TypeKind kind) noexcept {
  const auto* found = std::ranges::find(keywords, kind, &Keyword::kind);
  return found != std::end(keywords) ? found->text : "unknown";
}

constexpr int anonymous_depth_max = 16;  // of sequences inside sequences

std::string called(const TypeNode& type) {
  if (!type.name.empty()) return std::string(type.name);
  return type.id.empty() ? std::string(keyword(type.kind)) : '"' + std::string(type.id) + '"';
}

/// A bound behind an element's type, as in `<long, 3>`.
std::string bound_text(const TypeNode& type) {
  return type.bound == 0 ? "" : ", " + std::to_string(type.bound);
}

std::string used(const TypeNode& type, int depth = 0);

/// Arrays of arrays, the outermost dimension first.
std::string array_text(const TypeNode& type, int depth) {
  std::string dimensions;
  const TypeNode* element = &type;
  for (; element->kind == TypeKind::tk_array && depth <= anonymous_depth_max; ++depth) {
    dimensions += "[" + std::to_string(element->bound) + "]";
    element = element->content;
  }
  return used(*element, depth) + dimensions;
}

std::string used(const TypeNode& type, int depth) {
  if (depth > anonymous_depth_max) return "...";
  switch (type.kind) {
    case TypeKind::tk_string:
    case TypeKind::tk_wstring:
      return std::string(keyword(type.kind)) +
             (type.bound == 0 ? "" : "<" + std::to_string(type.bound) + ">");
    case TypeKind::tk_fixed:
      return "fixed<" + std::to_string(type.digits) + ", " + std::to_string(type.scale) + ">";
    case TypeKind::tk_sequence:
      return "sequence<" + used(*type.content, depth + 1) + bound_text(type) + ">";
    case TypeKind::tk_map:
      return "map<" + used(*type.key, depth + 1) + ", " + used(*type.content, depth + 1) +
             bound_text(type) + ">";
    case TypeKind::tk_array:
      return array_text(type, depth);
    default:
      return is_complex(type.kind) || type.kind == TypeKind::tk_recursive
                 ? called(type)
                 : std::string(keyword(type.kind));
  }
}

std::string label_text(const TypeNode& discriminator, std::int64_t label) {
  if (discriminator.kind == TypeKind::tk_valued_enum) {
    const auto found = std::ranges::find(discriminator.members, label, &TypeMember::label);
    if (found != discriminator.members.end() && !found->name.empty())
      return std::string(found->name);
  }
  const auto index = static_cast<std::size_t>(label);
  if (discriminator.kind == TypeKind::tk_enum && index < discriminator.members.size() &&
      !discriminator.members[index].name.empty())
    return std::string(discriminator.members[index].name);
  if (discriminator.kind == TypeKind::tk_boolean) return label != 0 ? "TRUE" : "FALSE";
  if (discriminator.kind == TypeKind::tk_char && label >= 0x20 && label < 0x7f)
    return {'\'', static_cast<char>(label), '\''};
  if (discriminator.kind == TypeKind::tk_ulonglong)
    return std::to_string(static_cast<std::uint64_t>(label));
  return std::to_string(label);
}

std::string members_text(const TypeNode& type) {
  std::string text = " {";
  for (std::size_t index = 0; index < type.members.size(); ++index) {
    const TypeMember& member = type.members[index];
    if (type.kind == TypeKind::tk_union)
      text += static_cast<std::int64_t>(index) == type.default_index
                  ? " default:"
                  : " case " + label_text(unaliased(*type.content), member.label) + ":";
    if (member.type != nullptr) {
      text += ' ' + used(*member.type);
      if (!member.name.empty()) text.append(1, ' ').append(member.name);
      text += ';';
    } else {
      text.append(index == 0 ? " " : ", ").append(member.name);
    }
  }
  return text + " }";
}

}  // namespace

std::string to_text(const TypeNode& type) {
  const std::string head = std::string(keyword(type.kind)) + ' ' + called(type);
  switch (type.kind) {
    case TypeKind::tk_union:
      return head + " switch (" + used(*type.content) + ")" + members_text(type);
    case TypeKind::tk_struct:
    case TypeKind::tk_except:
    case TypeKind::tk_enum:
    case TypeKind::tk_value:
    case TypeKind::tk_event:
    case TypeKind::tk_bitmask:
    case TypeKind::tk_bitset:
    case TypeKind::tk_valued_enum:
      return head + members_text(type);
    case TypeKind::tk_alias:
    case TypeKind::tk_value_box:
      return std::string(keyword(type.kind)) + ' ' + used(*type.content) + ' ' + called(type);
    case TypeKind::tk_objref:
    case TypeKind::tk_native:
    case TypeKind::tk_abstract_interface:
    case TypeKind::tk_local_interface:
    case TypeKind::tk_component:
    case TypeKind::tk_home:
      return head;
    default:
      return used(type);
  }
}

}  // namespace perigee::cdr
