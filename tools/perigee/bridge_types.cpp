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

// --- Nodes ---

TypeNode& BridgeTypes::make(Kind kind) {
  return nodes_->nodes.emplace_back(TypeNode{.kind = kind});
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

void BridgeTypes::use(const idlc::Model& model) {
  declared_.clear();
  values_.clear();
  find_values(model.definitions);
}

void BridgeTypes::find_values(const idlc::Declarations& declarations) {
  for (const idlc::Declaration* const declaration : declarations) {
    if (const auto* const value = as<idlc::ValueType>(declaration)) values_.push_back(value);
    if (const auto* const module = as<idlc::Module>(declaration)) find_values(module->contents);
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
      TypeNode& node = make_unreadable("ValueBase");
      set_members(node, {{.type = &cdr::object_node}});
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
  const bool is_unreadable =
      as<idlc::Struct>(declared) == nullptr && as<idlc::Union>(declared) == nullptr &&
      as<idlc::Enum>(declared) == nullptr && as<idlc::Bitmask>(declared) == nullptr &&
      as<idlc::Bitset>(declared) == nullptr;
  TypeNode& node =
      is_unreadable
          ? make_unreadable(std::string(to_text(declared->kind)) + ' ' + declared->scoped_name)
          : make(Kind::tk_struct);
  declared_.emplace(declared, &node);
  if (const auto* const structure = as<idlc::Struct>(declared)) fill_struct(node, *structure);
  if (const auto* const choice = as<idlc::Union>(declared)) fill_union(node, *choice);
  if (const auto* const value = as<idlc::ValueType>(declared)) fill_value(node, *value);
  if (const auto* const enumeration = as<idlc::Enum>(declared)) fill_enum(node, *enumeration);
  if (declared->scoped_name == "::CORBA::AbstractBase")  // native, and may hold a reference
    set_members(node, {{.type = &cdr::object_node}});
  if (const auto* const box = as<idlc::ValueBox>(declared))
    set_members(node, {{.type = &node_of(*box->type)}});
  if (as<idlc::Interface>(declared) != nullptr) set_members(node, {{.type = &cdr::object_node}});
  if (const auto* const mask = as<idlc::Bitmask>(declared)) {
    node.kind = Kind::tk_bitmask;
    node.bound = mask->bit_bound;
  }
  if (const auto* const set = as<idlc::Bitset>(declared)) {
    node.kind = Kind::tk_bitset;
    node.bound = to_bound(set->bit_count);
  }
  return node;
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
  node.kind = Kind::tk_union;
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

// The value may have a derived type. The state of an abstract or custom valuetype is unknown, so it
// may contain a reference.
void BridgeTypes::fill_value(TypeNode& node, const idlc::ValueType& declared) {
  std::vector<TypeMember> members;
  if (declared.is_abstract || declared.is_custom || !declared.is_defined)
    members.push_back({.type = &cdr::object_node});
  const auto add = [&](const idlc::ValueType& value) {
    for (const idlc::StateMember& each : value.state)
      members.push_back({.type = &node_of(*each.member.type)});
    if (value.is_custom) members.push_back({.type = &cdr::object_node});
  };
  add(declared);
  std::vector<const idlc::ValueType*> above(declared.bases);
  while (!above.empty()) {
    const idlc::ValueType& base = *above.back();
    above.pop_back();
    add(base);
    above.insert(above.end(), base.bases.begin(), base.bases.end());
  }
  for (const idlc::ValueType* const each : values_) {
    if (std::ranges::find(each->bases, &declared) == each->bases.end()) continue;
    members.push_back(
        {.type = &make_named({.kind = idlc::TypeKind::value_type, .declaration = each})});
  }
  set_members(node, std::move(members));
}

// --- Contents ---

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
    contents.has_reference |= node.kind == Kind::tk_objref || node.kind == Kind::tk_any;
    const auto found = unreadable_.find(&node);
    if (found != unreadable_.end() && contents.unreadable.empty())
      contents.unreadable = found->second;
    visit(node.content);
    visit(node.key);
    for (const TypeMember& member : node.members) visit(member.type);
  }
  return contents;
}

}  // namespace perigee::tool
