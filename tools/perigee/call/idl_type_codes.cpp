// Walks over the types of the front end of perigee-idl. The back end for C++ writes the same nodes
// as constants: src/idlc/backends/cpp11/type_codes.cpp.
#include "call/idl_type_codes.h"

#include "idl_nodes.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace perigee::tool {

using cdr::TypeMember;
using cdr::TypeNode;
using idlc::as;
using Kind = cdr::TypeKind;

TypeCodeRef IdlTypeCodes::type_code_of(const TypeNode& node) const {
  return TypeCodeRef(make_counted<CORBA::TypeCode>(&node, nodes_));
}

TypeCodeRef IdlTypeCodes::type_code_of(const idlc::Type& type) {
  return type_code_of(node_of(type));
}

TypeCodeRef IdlTypeCodes::type_code_of(const idlc::Declaration& declaration) {
  return type_code_of(node_of(declaration));
}

TypeCodeRef IdlTypeCodes::sequence_of(const TypeCodeRef& element) {
  TypeNode& node = make(Kind::tk_sequence);
  node.content = element->_node();
  return type_code_of(node);
}

TypeNode& IdlTypeCodes::make(Kind kind) {
  return nodes_->nodes.emplace_back(TypeNode{.kind = kind});
}

void IdlTypeCodes::set_members(TypeNode& node, std::vector<TypeMember> members) {
  node.members = nodes_->members.emplace_back(std::move(members));
}

const TypeNode& IdlTypeCodes::node_of(const idlc::Type& type) {
  if (type.declaration != nullptr) return node_of(*type.declaration);
  if (type.bound == 0)
    if (const TypeNode* const basic = basic_node_of(type.kind)) return *basic;
  return make_template(type);
}

const TypeNode& IdlTypeCodes::make_template(const idlc::Type& type) {
  const auto make_bounded = [&](Kind kind, const idlc::Type* element) -> TypeNode& {
    const TypeNode* const content = element == nullptr ? nullptr : &node_of(*element);
    TypeNode& node = make(kind);
    node.bound = to_bound(type.bound);
    node.content = content;
    return node;
  };
  switch (type.kind) {
    case idlc::TypeKind::string:
      return make_bounded(Kind::tk_string, nullptr);
    case idlc::TypeKind::wstring:
      return make_bounded(Kind::tk_wstring, nullptr);
    case idlc::TypeKind::sequence:
      return make_bounded(Kind::tk_sequence, type.element);
    case idlc::TypeKind::optional: {  // a sequence of at most one element on the wire
      TypeNode& node = make_bounded(Kind::tk_sequence, type.element);
      node.bound = 1;
      return node;
    }
    case idlc::TypeKind::map: {
      const TypeNode& key = node_of(*type.key);
      TypeNode& node = make_bounded(Kind::tk_map, type.element);
      node.key = &key;
      return node;
    }
    case idlc::TypeKind::array:
      return array_of(node_of(*type.element), type.dimensions, nodes_->nodes);
    case idlc::TypeKind::fixed: {
      TypeNode& node = make(Kind::tk_fixed);
      node.digits = type.digits;
      node.scale = static_cast<std::int16_t>(type.scale);
      return node;
    }
    default:  // ValueBase is the only other type without a declaration
      return cdr::value_base_node;
  }
}

// The node is stored before it is filled: recursive types refer to it.
const TypeNode& IdlTypeCodes::node_of(const idlc::Declaration& declaration) {
  if (const auto* const forward = as<idlc::Forward>(&declaration);
      forward != nullptr && forward->declared != nullptr)
    return node_of(*forward->declared);
  if (declaration.scoped_name == "::CORBA::AbstractBase") return cdr::abstract_base_node;
  if (declaration.scoped_name == "::CORBA::TypeCode") return cdr::basic_node<Kind::tk_TypeCode>;
  const auto [place, is_new] = declared_.try_emplace(&declaration, nullptr);
  if (!is_new) return *place->second;
  TypeNode& node = make(Kind::tk_native);
  place->second = &node;
  node.id = declaration.repository_id;
  node.name = declaration.name;
  fill(node, declaration);
  return node;
}

void IdlTypeCodes::fill(TypeNode& node, const idlc::Declaration& declaration) {
  std::vector<TypeMember> members;
  if (const auto* const structure = as<idlc::Struct>(&declaration)) {
    node.kind = Kind::tk_struct;
    add(*structure, members);
  } else if (const auto* const exception = as<idlc::Exception>(&declaration)) {
    node.kind = Kind::tk_except;
    add(exception->members, members);
  } else if (const auto* const enumeration = as<idlc::Enum>(&declaration)) {
    const bool by_value = has_values(*enumeration);
    node.kind = by_value ? Kind::tk_valued_enum : Kind::tk_enum;
    if (by_value) node.bound = bit_bound(*enumeration);
    for (const idlc::Enumerator* const each : enumeration->enumerators)
      members.push_back({.name = each->name, .label = by_value ? each->value : 0});
  } else if (const auto* const mask = as<idlc::Bitmask>(&declaration)) {
    node.kind = Kind::tk_bitmask;
    node.bound = mask->bit_bound;
    for (const idlc::BitFlag& flag : mask->flags)
      members.push_back({.name = flag.name, .label = flag.position});
  } else if (const auto* const set = as<idlc::Bitset>(&declaration)) {
    node.kind = Kind::tk_bitset;
    node.bound = to_bound(set->bit_count);
  } else if (const auto* const alias = as<idlc::Typedef>(&declaration)) {
    node.kind = Kind::tk_alias;
    node.content = &node_of(*alias->type);
  } else if (const auto* const box = as<idlc::ValueBox>(&declaration)) {
    node.kind = Kind::tk_value_box;
    node.content = &node_of(*box->type);
  } else if (const auto* const interface = as<idlc::Interface>(&declaration)) {
    node.kind = interface->is_local      ? Kind::tk_local_interface
                : interface->is_abstract ? Kind::tk_abstract_interface
                                         : Kind::tk_objref;
  } else if (const auto* const choice = as<idlc::Union>(&declaration)) {
    return fill_union(node, *choice);
  } else if (const auto* const value = as<idlc::ValueType>(&declaration)) {
    return fill_value(node, *value);
  }
  set_members(node, std::move(members));
}

void IdlTypeCodes::add(const std::vector<idlc::Member>& from, std::vector<TypeMember>& members) {
  for (const idlc::Member& member : from)
    members.push_back({.name = member.name, .type = &node_of(*member.type)});
}

// On the wire a struct with a base is one struct, which begins with the members of the base.
void IdlTypeCodes::add(const idlc::Struct& declared, std::vector<TypeMember>& members) {
  if (declared.base != nullptr) add(*declared.base, members);
  add(declared.members, members);
}

// A member with several labels has one entry for each label. CORBA 3.0, 4.11.1.
void IdlTypeCodes::fill_union(TypeNode& node, const idlc::Union& declared) {
  node.kind = Kind::tk_union;
  node.content = &cdr::unaliased(node_of(*declared.discriminator));
  std::vector<TypeMember> members;
  for (const idlc::UnionBranch& branch : declared.branches) {
    const TypeNode& type = node_of(*branch.member.type);
    for (const idlc::Value& label : branch.labels)
      members.push_back({.name = branch.member.name, .type = &type, .label = label_of(label)});
    if (!branch.is_default) continue;
    node.default_index = static_cast<std::int32_t>(members.size());
    members.push_back({.name = branch.member.name, .type = &type});
  }
  set_members(node, std::move(members));
}

void IdlTypeCodes::fill_value(TypeNode& node, const idlc::ValueType& declared) {
  node.kind = Kind::tk_value;
  node.scale = declared.is_custom        ? CORBA::VM_CUSTOM
               : declared.is_abstract    ? CORBA::VM_ABSTRACT
               : declared.is_truncatable ? CORBA::VM_TRUNCATABLE
                                         : CORBA::VM_NONE;
  for (const idlc::ValueType* const base : declared.bases)
    if (!base->is_abstract) node.content = &node_of(*base);
  std::vector<TypeMember> members;
  for (const idlc::StateMember& each : declared.state)
    members.push_back({.name = each.member.name,
                       .type = &node_of(*each.member.type),
                       .label = each.access == idlc::Access::public_state ? CORBA::PUBLIC_MEMBER
                                                                          : CORBA::PRIVATE_MEMBER});
  set_members(node, std::move(members));
}

}  // namespace perigee::tool
