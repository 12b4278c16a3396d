// Writes types in the syntax of IDL.
#include "cdr/typecode_label.h"
#include <perigee/cdr/typecode.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace perigee::cdr {

namespace {

struct Keyword {
  TypeKind kind;
  std::string_view text;
  std::string_view name;
};

constexpr Keyword keywords[] = {
    {TypeKind::tk_null, "null", "tk_null"},
    {TypeKind::tk_void, "void", "tk_void"},
    {TypeKind::tk_short, "short", "tk_short"},
    {TypeKind::tk_long, "long", "tk_long"},
    {TypeKind::tk_ushort, "unsigned short", "tk_ushort"},
    {TypeKind::tk_ulong, "unsigned long", "tk_ulong"},
    {TypeKind::tk_float, "float", "tk_float"},
    {TypeKind::tk_double, "double", "tk_double"},
    {TypeKind::tk_boolean, "boolean", "tk_boolean"},
    {TypeKind::tk_char, "char", "tk_char"},
    {TypeKind::tk_octet, "octet", "tk_octet"},
    {TypeKind::tk_any, "any", "tk_any"},
    {TypeKind::tk_TypeCode, "CORBA::TypeCode", "tk_TypeCode"},
    {TypeKind::tk_Principal, "CORBA::Principal", "tk_Principal"},
    {TypeKind::tk_objref, "interface", "tk_objref"},
    {TypeKind::tk_struct, "struct", "tk_struct"},
    {TypeKind::tk_union, "union", "tk_union"},
    {TypeKind::tk_enum, "enum", "tk_enum"},
    {TypeKind::tk_string, "string", "tk_string"},
    {TypeKind::tk_sequence, "sequence", "tk_sequence"},
    {TypeKind::tk_array, "array", "tk_array"},
    {TypeKind::tk_alias, "typedef", "tk_alias"},
    {TypeKind::tk_except, "exception", "tk_except"},
    {TypeKind::tk_longlong, "long long", "tk_longlong"},
    {TypeKind::tk_ulonglong, "unsigned long long", "tk_ulonglong"},
    {TypeKind::tk_longdouble, "long double", "tk_longdouble"},
    {TypeKind::tk_wchar, "wchar", "tk_wchar"},
    {TypeKind::tk_wstring, "wstring", "tk_wstring"},
    {TypeKind::tk_fixed, "fixed", "tk_fixed"},
    {TypeKind::tk_value, "valuetype", "tk_value"},
    {TypeKind::tk_value_box, "valuetype", "tk_value_box"},
    {TypeKind::tk_native, "native", "tk_native"},
    {TypeKind::tk_abstract_interface, "abstract interface", "tk_abstract_interface"},
    {TypeKind::tk_local_interface, "local interface", "tk_local_interface"},
    {TypeKind::tk_component, "component", "tk_component"},
    {TypeKind::tk_home, "home", "tk_home"},
    {TypeKind::tk_event, "eventtype", "tk_event"},
    {TypeKind::tk_int8, "int8", "tk_int8"},
    {TypeKind::tk_map, "map", "tk_map"},
    {TypeKind::tk_bitmask, "bitmask", "tk_bitmask"},
    {TypeKind::tk_bitset, "bitset", "tk_bitset"},
    {TypeKind::tk_valued_enum, "enum", "tk_valued_enum"},
    {TypeKind::tk_recursive, "recursive", "tk_recursive"},
};

const Keyword& keyword_of(TypeKind kind) noexcept {
  static constexpr Keyword unknown{TypeKind::tk_null, "unknown", ""};
  const auto* found = std::ranges::find(keywords, kind, &Keyword::kind);
  return found != std::end(keywords) ? *found : unknown;
}

std::string_view keyword(TypeKind kind) noexcept { return keyword_of(kind).text; }

constexpr int anonymous_depth_max = 16;  // of nested sequences, maps and arrays
constexpr std::size_t text_size_max = 64 * 1024;

/// A text that is cut at a limit: with indirections, few octets can describe a very long text.
class Text final {
 public:
  Text& operator<<(std::string_view part) {
    if (is_cut_) return *this;
    const std::size_t left = text_size_max - text_.size();
    text_ += part.substr(0, left);
    is_cut_ = part.size() > left;
    if (is_cut_) text_ += "...";
    return *this;
  }
  Text& operator<<(std::int64_t number) {
    return *this << std::string_view(std::to_string(number));
  }
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }
  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  std::string text_;
  bool is_cut_ = false;
};

void put_called(Text& text, const TypeNode& type) {
  if (!type.name.empty())
    text << type.name;
  else if (type.id.empty())
    text << keyword(type.kind);
  else
    text << "\"" << type.id << "\"";
}

/// A bound after an element's type, as in `<long, 3>`.
void put_bound(Text& text, const TypeNode& type) {
  if (type.bound != 0) text << ", " << type.bound;
}

void put_used(Text& text, const TypeNode& type, int depth = 0);

/// Arrays of arrays, the outermost dimension first.
void put_array(Text& text, const TypeNode& type, int depth) {
  std::string dimensions;
  const TypeNode* element = &type;
  for (; element->kind == TypeKind::tk_array && depth <= anonymous_depth_max; ++depth) {
    dimensions += "[" + std::to_string(element->bound) + "]";
    element = element->content;
  }
  put_used(text, *element, depth);
  text << dimensions;
}

void put_used(Text& text, const TypeNode& type, int depth) {
  if (text.is_cut()) return;
  if (depth > anonymous_depth_max) {
    text << "...";
    return;
  }
  switch (type.kind) {
    case TypeKind::tk_string:
    case TypeKind::tk_wstring:
      text << keyword(type.kind);
      if (type.bound != 0) text << "<" << type.bound << ">";
      return;
    case TypeKind::tk_fixed:
      text << "fixed<" << type.digits << ", " << type.scale << ">";
      return;
    case TypeKind::tk_map:
    case TypeKind::tk_sequence:
      text << keyword(type.kind) << "<";
      if (type.kind == TypeKind::tk_map) {
        put_used(text, *type.key, depth + 1);
        text << ", ";
      }
      put_used(text, *type.content, depth + 1);
      put_bound(text, type);
      text << ">";
      return;
    case TypeKind::tk_array:
      return put_array(text, type, depth);
    default:
      break;
  }
  if (is_complex(type.kind) || type.kind == TypeKind::tk_recursive)
    put_called(text, type);
  else
    text << keyword(type.kind);
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

void put_label(Text& text, const TypeNode& type, std::size_t index) {
  if (static_cast<std::int64_t>(index) == type.default_index)
    text << " default:";
  else
    text << " case " << label_text(unaliased(*type.content), type.members[index].label) << ":";
}

void put_members(Text& text, const TypeNode& type) {
  text << " {";
  for (std::size_t index = 0; index < type.members.size() && !text.is_cut(); ++index) {
    const TypeMember& member = type.members[index];
    if (type.kind == TypeKind::tk_union) put_label(text, type, index);
    if (member.type != nullptr) {
      text << " ";
      put_used(text, *member.type);
      if (!member.name.empty()) text << " " << member.name;
      text << ";";
    } else {
      text << (index == 0 ? " " : ", ") << member.name;
    }
  }
  text << " }";
}

void put_type(Text& text, const TypeNode& type) {
  const auto put_head = [&] {
    text << keyword(type.kind) << " ";
    put_called(text, type);
  };
  switch (type.kind) {
    case TypeKind::tk_union:
      put_head();
      text << " switch (";
      put_used(text, *type.content);
      text << ")";
      return put_members(text, type);
    case TypeKind::tk_struct:
    case TypeKind::tk_except:
    case TypeKind::tk_enum:
    case TypeKind::tk_value:
    case TypeKind::tk_event:
    case TypeKind::tk_bitmask:
    case TypeKind::tk_bitset:
    case TypeKind::tk_valued_enum:
      put_head();
      return put_members(text, type);
    case TypeKind::tk_alias:
    case TypeKind::tk_value_box:
      text << keyword(type.kind) << " ";
      put_used(text, *type.content);
      text << " ";
      return put_called(text, type);
    case TypeKind::tk_objref:
    case TypeKind::tk_native:
    case TypeKind::tk_abstract_interface:
    case TypeKind::tk_local_interface:
    case TypeKind::tk_component:
    case TypeKind::tk_home:
      return put_head();
    default:
      return put_used(text, type);
  }
}

}  // namespace

std::string to_text(const TypeNode& type) {
  Text text;
  put_type(text, type);
  return std::move(text).take();
}

std::string_view _enumerator_name(TypeKind kind) noexcept { return keyword_of(kind).name; }

}  // namespace perigee::cdr
