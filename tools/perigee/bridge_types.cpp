// Walks over the types of the front end of perigee-idl.
#include "bridge_types.h"

#include "idl_nodes.h"

#include <algorithm>
#include <set>
#include <utility>

namespace perigee::tool {

using cdr::TypeMember;
using cdr::TypeNode;
using idlc::as;
using Kind = cdr::TypeKind;

namespace {

constexpr std::int16_t custom = 1;    // CORBA::VM_CUSTOM
constexpr std::int16_t abstract = 2;  // CORBA::VM_ABSTRACT

}  // namespace

// --- Nodes ---

TypeNode& BridgeTypes::make(Kind kind) {
  return nodes_->nodes.emplace_back(TypeNode{.kind = kind});
}

TypeNode& BridgeTypes::make_with_id(Kind kind, const std::string& id) {
  TypeNode& node = make(kind);
  node.id = nodes_->ids.emplace_back(id);
  return node;
}

// A bridge cannot skip a native value, so it refuses a message that contains one.
TypeNode& BridgeTypes::make_unreadable(const std::string& what) {
  TypeNode& node = make(Kind::tk_native);
  unreadable_.emplace(&node, what);
  return node;
}

void BridgeTypes::set_members(TypeNode& node, std::vector<TypeMember> members) {
  node.members = nodes_->members.emplace_back(std::move(members));
}

const TypeNode& BridgeTypes::sequence_of(const TypeNode& element) {
  TypeNode& node = make(Kind::tk_sequence);
  node.content = &element;
  return node;
}

const TypeNode& BridgeTypes::box_of(const TypeNode& content, const std::string& id) {
  TypeNode& node = make_with_id(Kind::tk_value_box, id);
  node.content = &content;
  return node;
}

void BridgeTypes::add_values(const idlc::Model& model) { add_values(model.definitions); }

void BridgeTypes::add_values(const idlc::Declarations& declarations) {
  for (const idlc::Declaration* const declaration : declarations) {
    if (const auto* const module = as<idlc::Module>(declaration)) add_values(module->contents);
    const auto* const value = as<idlc::ValueType>(declaration);
    const bool is_box = as<idlc::ValueBox>(declaration) != nullptr;
    if (value == nullptr && !is_box) continue;
    const TypeNode& node =
        make_named({.kind = is_box ? idlc::TypeKind::value_box : idlc::TypeKind::value_type,
                    .declaration = declaration});
    derived_.emplace(cdr::value_base_node.id, &node);
    if (is_box || node.scale != abstract) {
      values_.push_back({*declaration, node});
      derived_.emplace(node.id, &node);  // another file may only declare the valuetype
    }
    if (value == nullptr) continue;
    for (const idlc::ValueType* const base : value->bases)
      derived_.emplace(node_of({.kind = idlc::TypeKind::value_type, .declaration = base}).id,
                       &node);
  }
}

const TypeNode& BridgeTypes::node_of(const idlc::Type& named) {
  const idlc::Type& type = idlc::unaliased(named);
  if (const TypeNode* const basic = basic_node_of(type.kind)) return *basic;
  return type.declaration == nullptr ? make_template(type) : make_named(type);
}

const TypeNode& BridgeTypes::node_of(const idlc::Exception& exception) {
  TypeNode& node = make(Kind::tk_struct);
  std::vector<TypeMember> members;
  add_members(exception.members, members);
  set_members(node, std::move(members));
  return node;
}

// Bounds are left out: the receiver checks them.
const TypeNode& BridgeTypes::make_template(const idlc::Type& type) {
  switch (type.kind) {
    case idlc::TypeKind::sequence:
    case idlc::TypeKind::optional:  // a sequence of at most one element on the wire
      return sequence_of(node_of(*type.element));
    case idlc::TypeKind::array:
      return array_of(node_of(*type.element), type.dimensions, nodes_->nodes);
    case idlc::TypeKind::fixed: {
      TypeNode& node = make(Kind::tk_fixed);
      node.digits = type.digits;
      node.scale = static_cast<std::int16_t>(type.scale);
      return node;
    }
    case idlc::TypeKind::map: {
      TypeNode& node = make(Kind::tk_map);
      node.key = &node_of(*type.key);
      node.content = &node_of(*type.element);
      return node;
    }
    case idlc::TypeKind::value_base: {
      TypeNode& node = make(Kind::tk_value);
      node.id = cdr::value_base_node.id;
      node.scale = abstract;
      return node;
    }
    default:
      return make_unreadable(to_text(type));
  }
}

// Each declaration has one node. Recursive types refer to this node again.
const TypeNode& BridgeTypes::make_named(const idlc::Type& type) {
  const idlc::Declaration* const declared = type.declaration;
  if (const auto known = declared_.find(declared); known != declared_.end()) return *known->second;
  if (const auto* const interface = as<idlc::Interface>(declared);
      interface != nullptr && !interface->is_abstract)
    return cdr::object_node;
  TypeNode& node = make_declared(*declared);
  declared_.emplace(declared, &node);
  if (const auto* const structure = as<idlc::Struct>(declared)) fill_struct(node, *structure);
  if (const auto* const choice = as<idlc::Union>(declared)) fill_union(node, *choice);
  if (const auto* const value = as<idlc::ValueType>(declared)) fill_value(node, *value);
  if (const auto* const box = as<idlc::ValueBox>(declared)) node.content = &node_of(*box->type);
  if (const auto* const enumeration = as<idlc::Enum>(declared)) fill_enum(node, *enumeration);
  if (const auto* const mask = as<idlc::Bitmask>(declared)) node.bound = mask->bit_bound;
  if (const auto* const set = as<idlc::Bitset>(declared)) node.bound = to_bound(set->bit_count);
  return node;
}

// CORBA::AbstractBase is declared as a native type.
TypeNode& BridgeTypes::make_declared(const idlc::Declaration& declared) {
  using enum idlc::DeclarationKind;
  if (declared.scoped_name == "::CORBA::AbstractBase") return make(Kind::tk_abstract_interface);
  switch (declared.kind) {
    case structure:
      return make(Kind::tk_struct);
    case union_type:
      return make(Kind::tk_union);
    case enumeration:
      return make(Kind::tk_enum);
    case bitmask:
      return make(Kind::tk_bitmask);
    case bitset:
      return make(Kind::tk_bitset);
    case interface:  // an abstract interface
      return make(Kind::tk_abstract_interface);
    case value_type:
      return make_with_id(Kind::tk_value, declared.repository_id);
    case value_box:
      return make_with_id(Kind::tk_value_box, declared.repository_id);
    default:
      return make_unreadable(std::string(to_text(declared.kind)) + ' ' + declared.scoped_name);
  }
}

void BridgeTypes::add_members(const std::vector<idlc::Member>& from,
                              std::vector<TypeMember>& members) {
  for (const idlc::Member& member : from) members.push_back({.type = &node_of(*member.type)});
}

void BridgeTypes::fill_struct(TypeNode& node, const idlc::Struct& declared) {
  std::vector<const idlc::Struct*> parts;
  for (const idlc::Struct* part = &declared; part != nullptr; part = part->base)
    parts.insert(parts.begin(), part);
  std::vector<TypeMember> members;
  for (const idlc::Struct* const part : parts) add_members(part->members, members);
  set_members(node, std::move(members));
}

// A member for each label, in their order; the default is the last member.
void BridgeTypes::fill_union(TypeNode& node, const idlc::Union& declared) {
  node.content = &node_of(*declared.discriminator);
  std::vector<TypeMember> members;
  const TypeNode* of_default = nullptr;
  for (const idlc::UnionBranch& branch : declared.branches) {
    const TypeNode& type = node_of(*branch.member.type);
    for (const idlc::Value& label : branch.labels)
      members.push_back({.type = &type, .label = label_of(label)});
    if (branch.is_default) of_default = &type;
  }
  std::ranges::sort(members, {}, &TypeMember::label);
  if (of_default != nullptr) {
    node.default_index = static_cast<std::int32_t>(members.size());
    members.push_back({.type = of_default});
  }
  set_members(node, std::move(members));
}

void BridgeTypes::fill_enum(TypeNode& node, const idlc::Enum& declared) {
  node.kind = has_values(declared) ? Kind::tk_valued_enum : Kind::tk_enum;
  if (has_values(declared)) node.bound = bit_bound(declared);
}

// A valuetype that is only declared has no known state, like an abstract valuetype.
void BridgeTypes::fill_value(TypeNode& node, const idlc::ValueType& declared) {
  if (declared.is_custom)
    node.scale = custom;
  else if (declared.is_abstract || !declared.is_defined)
    node.scale = abstract;
  std::vector<TypeMember> members;
  for (const idlc::StateMember& each : declared.state)
    members.push_back({.type = &node_of(*each.member.type)});
  set_members(node, std::move(members));
  for (const idlc::ValueType* const base : declared.bases)
    if (!base->is_abstract)
      node.content = &node_of({.kind = idlc::TypeKind::value_type, .declaration = base});
}

// --- Contents ---

// A value may have a type that is derived from the expected type. The bridge does not read custom
// state.
BridgeTypes::Contents BridgeTypes::contents_of(std::span<const TypeNode* const> types) const {
  Contents contents;
  std::set<const TypeNode*> seen(types.begin(), types.end());
  std::vector<const TypeNode*> open(types.begin(), types.end());
  const auto visit = [&](const TypeNode* node) {
    if (node != nullptr && seen.insert(node).second) open.push_back(node);
  };
  while (!open.empty()) {
    const TypeNode& node = *open.back();
    open.pop_back();
    contents.has_reference |= node.kind == Kind::tk_objref || node.kind == Kind::tk_any ||
                              node.kind == Kind::tk_abstract_interface;
    const auto found = unreadable_.find(&node);
    if (found != unreadable_.end() && contents.unreadable.empty())
      contents.unreadable = found->second;
    if (node.kind == Kind::tk_value) {
      const auto [first, last] = derived_.equal_range(node.id);
      for (auto each = first; each != last; ++each) visit(each->second);
      if (node.scale == custom) continue;
    }
    visit(node.content);
    visit(node.key);
    for (const TypeMember& member : node.members) visit(member.type);
  }
  return contents;
}

}  // namespace perigee::tool
