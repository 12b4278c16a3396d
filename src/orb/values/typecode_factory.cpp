// Makes TypeCodes. Each function checks its arguments, and makes a node on the stack. The node
// refers to the names and types in the arguments. `make` copies the node, and all that it refers
// to.
#include "orb/values/system_exceptions.h"
#include <perigee/cdr/typecode.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/typecode_factory.h>

#include <set>
#include <string_view>

namespace CORBA {
inline namespace perigee_v1 {

using perigee::cdr::TypeKind;
using perigee::cdr::TypeMember;
using perigee::cdr::TypeNode;
using perigee::cdr::TypeRef;
using perigee::orb::omg_minor;
using TypeCodeRef = TypeCodeFactory::TypeCodeRef;

namespace {

TypeCodeRef make(const TypeNode& node) {
  TypeRef copy = perigee::cdr::deep_copy(node);
  if (copy.node->kind != node.kind)
    throw IMP_LIMIT(0, COMPLETED_NO, "the TypeCode has too many parts");
  return TypeCodeRef(perigee::make_counted<TypeCode>(copy.node, std::move(copy.owner)));
}

[[noreturn]] void raise_bad_param(std::uint32_t code, const char* text) {
  throw BAD_PARAM(omg_minor(code), COMPLETED_NO, text);
}

/// The node of a type that may be a member or an element.
const TypeNode& part(const TypeCodeRef& type) {
  const TypeKind kind = type ? type->kind() : TypeKind::tk_null;
  if (kind == TypeKind::tk_null || kind == TypeKind::tk_void || kind == TypeKind::tk_except)
    throw BAD_TYPECODE(omg_minor(2), COMPLETED_NO, "a member or element cannot have this type");
  return *type->_node();
}

/// The node of the base of a valuetype, or nullptr. A placeholder is allowed for an outer valuetype
/// that has a member of a derived type, but not for a valuetype that would be its own base.
const TypeNode* base_node(const TypeCodeRef& base, const std::string& derived_id) {
  if (!base) return nullptr;
  const TypeNode& direct = perigee::cdr::unaliased(*base->_node());
  for (const TypeNode* one = &direct; one != nullptr; one = one->content) {
    const bool is_placeholder = one->kind == TypeKind::tk_recursive;
    if (one->kind != TypeKind::tk_value && !(is_placeholder && one->id != derived_id))
      throw BAD_TYPECODE(omg_minor(2), COMPLETED_NO, "the base of a valuetype is not a valuetype");
    if (is_placeholder) break;
  }
  return &direct;
}

template <typename Members, typename NameOf>
void check_names(const Members& members, NameOf name_of) {
  std::set<std::string_view> names;
  for (const auto& member : members)
    if (const std::string_view name = name_of(member); !name.empty() && !names.insert(name).second)
      raise_bad_param(17, "two members have the same name");
}

TypeCodeRef make_named(TypeKind kind, const std::string& id, const std::string& name) {
  return make({.kind = kind, .id = id, .name = name});
}

TypeCodeRef make_with_members(TypeKind kind, const std::string& id, const std::string& name,
                              const StructMemberSeq& members) {
  check_names(members, [](const StructMember& member) { return std::string_view(member.name()); });
  std::vector<TypeMember> rows;
  rows.reserve(members.size());
  for (const StructMember& member : members) rows.push_back({member.name(), &part(member.type())});
  return make({.kind = kind, .id = id, .name = name, .members = rows});
}

template <typename T>
std::int64_t number_in(const Any& label) {
  T value{};
  if (!(label >>= value)) raise_bad_param(19, "a label is not of the discriminator's type");
  return static_cast<std::int64_t>(value);
}

std::int64_t enumerator_in(const Any& label, const TypeNode& discriminator) {
  std::int64_t enumerator = 0;
  const auto* content = perigee::any::Access::content(label);
  if (content == nullptr || !perigee::any::holds(label, discriminator) ||
      !content->decode(perigee::any::Access::type(label), [&](perigee::cdr::Decoder& decoder) {
        enumerator = perigee::cdr::read_enumerator(decoder, discriminator);
      }))
    raise_bad_param(19, "a label is not of the discriminator's type");
  return enumerator;
}

std::int64_t label_in(const Any& label, const TypeNode& discriminator) {
  switch (discriminator.kind) {
    case TypeKind::tk_short:
      return number_in<std::int16_t>(label);
    case TypeKind::tk_ushort:
      return number_in<std::uint16_t>(label);
    case TypeKind::tk_long:
      return number_in<std::int32_t>(label);
    case TypeKind::tk_ulong:
      return number_in<std::uint32_t>(label);
    case TypeKind::tk_longlong:
      return number_in<std::int64_t>(label);
    case TypeKind::tk_ulonglong:
      return number_in<std::uint64_t>(label);
    case TypeKind::tk_boolean:
      return number_in<bool>(label);
    case TypeKind::tk_char:
      return static_cast<unsigned char>(number_in<char>(label));
    case TypeKind::tk_wchar:
      return number_in<wchar_t>(label);
    case TypeKind::tk_int8:
      return number_in<std::int8_t>(label);
    case TypeKind::tk_enum:
    case TypeKind::tk_valued_enum:
      return enumerator_in(label, discriminator);
    default:
      return number_in<std::uint8_t>(label);
  }
}

/// An octet 0 marks the default member, unless the discriminator is an octet.
bool is_default(const Any& label, const TypeNode& discriminator) {
  std::uint8_t octet = 1;
  return discriminator.kind != TypeKind::tk_octet && (label >>= octet) && octet == 0;
}

}  // namespace

TypeCodeFactory::~TypeCodeFactory() = default;

TypeCodeRef TypeCodeFactory::create_struct_tc(const std::string& id, const std::string& name,
                                              const StructMemberSeq& members) const {
  return make_with_members(TypeKind::tk_struct, id, name, members);
}

TypeCodeRef TypeCodeFactory::create_exception_tc(const std::string& id, const std::string& name,
                                                 const StructMemberSeq& members) const {
  return make_with_members(TypeKind::tk_except, id, name, members);
}

TypeCodeRef TypeCodeFactory::create_union_tc(const std::string& id, const std::string& name,
                                             const TypeCodeRef& discriminator_type,
                                             const UnionMemberSeq& members) const {
  const TypeNode& discriminator = perigee::cdr::unaliased(part(discriminator_type));
  if (!perigee::cdr::is_discriminator(discriminator.kind))
    raise_bad_param(20, "a union cannot switch over that type");
  TypeNode node{
      .kind = TypeKind::tk_union, .id = id, .name = name, .content = discriminator_type->_node()};
  std::vector<TypeMember> rows;
  std::set<std::int64_t> labels;
  for (const UnionMember& member : members) {
    const bool is_the_default = is_default(member.label(), discriminator);
    const std::int64_t label = is_the_default ? 0 : label_in(member.label(), discriminator);
    if (is_the_default ? node.default_index >= 0 : !labels.insert(label).second)
      raise_bad_param(18, "two members have the same label");
    if (is_the_default) node.default_index = static_cast<std::int32_t>(rows.size());
    rows.push_back({member.name(), &part(member.type()), label});
  }
  node.members = rows;
  return make(node);
}

TypeCodeRef TypeCodeFactory::create_enum_tc(const std::string& id, const std::string& name,
                                            const EnumMemberSeq& members) const {
  check_names(members, [](const std::string& member) { return std::string_view(member); });
  std::vector<TypeMember> rows;
  for (const std::string& member : members) rows.push_back({member});
  return make({.kind = TypeKind::tk_enum, .id = id, .name = name, .members = rows});
}

TypeCodeRef TypeCodeFactory::create_alias_tc(const std::string& id, const std::string& name,
                                             const TypeCodeRef& original_type) const {
  return make(
      {.kind = TypeKind::tk_alias, .id = id, .name = name, .content = &part(original_type)});
}

TypeCodeRef TypeCodeFactory::create_interface_tc(const std::string& id,
                                                 const std::string& name) const {
  return make_named(TypeKind::tk_objref, id, name);
}

TypeCodeRef TypeCodeFactory::create_local_interface_tc(const std::string& id,
                                                       const std::string& name) const {
  return make_named(TypeKind::tk_local_interface, id, name);
}

TypeCodeRef TypeCodeFactory::create_abstract_interface_tc(const std::string& id,
                                                          const std::string& name) const {
  return make_named(TypeKind::tk_abstract_interface, id, name);
}

TypeCodeRef TypeCodeFactory::create_native_tc(const std::string& id,
                                              const std::string& name) const {
  return make_named(TypeKind::tk_native, id, name);
}

TypeCodeRef TypeCodeFactory::create_value_tc(const std::string& id, const std::string& name,
                                             ValueModifier type_modifier,
                                             const TypeCodeRef& concrete_base,
                                             const ValueMemberSeq& members) const {
  const TypeNode* base = base_node(concrete_base, id);
  check_names(members, [](const ValueMember& member) { return std::string_view(member.name()); });
  std::vector<TypeMember> rows;
  rows.reserve(members.size());
  for (const ValueMember& member : members)
    rows.push_back({member.name(), &part(member.type()), member.access()});
  return make({.kind = TypeKind::tk_value,
               .scale = type_modifier,
               .id = id,
               .name = name,
               .content = base,
               .members = rows});
}

TypeCodeRef TypeCodeFactory::create_value_box_tc(const std::string& id, const std::string& name,
                                                 const TypeCodeRef& boxed_type) const {
  return make(
      {.kind = TypeKind::tk_value_box, .id = id, .name = name, .content = &part(boxed_type)});
}

TypeCodeRef TypeCodeFactory::create_string_tc(std::uint32_t bound) const {
  return make({.kind = TypeKind::tk_string, .bound = bound});
}

TypeCodeRef TypeCodeFactory::create_wstring_tc(std::uint32_t bound) const {
  return make({.kind = TypeKind::tk_wstring, .bound = bound});
}

TypeCodeRef TypeCodeFactory::create_fixed_tc(std::uint16_t digits, std::int16_t scale) const {
  if (digits < 1 || digits > 31 || scale < 0 || scale > digits)
    throw BAD_PARAM(0, COMPLETED_NO, "fixed has 1 to 31 digits, and no more decimals than digits");
  return make({.kind = TypeKind::tk_fixed, .digits = digits, .scale = scale});
}

TypeCodeRef TypeCodeFactory::create_sequence_tc(std::uint32_t bound,
                                                const TypeCodeRef& element_type) const {
  return make({.kind = TypeKind::tk_sequence, .bound = bound, .content = &part(element_type)});
}

TypeCodeRef TypeCodeFactory::create_array_tc(std::uint32_t length,
                                             const TypeCodeRef& element_type) const {
  return make({.kind = TypeKind::tk_array, .bound = length, .content = &part(element_type)});
}

TypeCodeRef TypeCodeFactory::create_recursive_tc(const std::string& id) const {
  return make({.kind = TypeKind::tk_recursive, .id = id});
}

}  // namespace perigee_v1
}  // namespace CORBA
