// The tree of DynAnys: lifetime, components, positions, comparison.
#include "dynamic/values/node.h"

#include "dynamic/values/comparison.h"
#include "orb/values/any_value.h"
#include <perigee/cdr/operators.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <string>
#include <utility>

namespace perigee::dynamic {

using enum cdr::TypeKind;
using DynamicAny::DynAny;

namespace {

/// Larger values of components are released while their own components are in memory.
constexpr std::size_t kept_octets_max = 4096;

/// Kinds whose values cannot always be written again, or have an identity.
bool is_kept_kind(cdr::TypeKind kind) {
  switch (kind) {
    case tk_any:
    case tk_local_interface:
    case tk_value:
    case tk_value_box:
    case tk_abstract_interface:
    case tk_wchar:
    case tk_wstring:
      return true;
    default:
      return false;
  }
}

}  // namespace

DynAny& checked(const DynAny::_ref_type& dyn_any) {
  if (!dyn_any) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a nil DynAny");
  return *dyn_any;
}

CORBA::Any matching(const CORBA::Any& any, const cdr::TypeRef& type, const References& references) {
  const auto types = [&] {
    return "expected '" + cdr::to_text(*type.node) + "', got '" +
           cdr::to_text(any::Access::type(any)) + "'";
  };
  try {
    if (auto result = with_type(any, type, references)) return *std::move(result);
  } catch (const CORBA::MARSHAL& error) {
    throw DynAny::TypeMismatch(types() + " with the same id but another value: " + error.what());
  }
  throw DynAny::TypeMismatch(types());
}

Tree::Tree(References its_references, std::shared_ptr<const void> owner)
    : references(std::move(its_references)), types(std::move(owner)) {}

Node::Node(CORBA::Any value, std::shared_ptr<Tree> tree)
    : type_(type_of(value)),
      plain_(&cdr::unaliased(*type_.node)),
      value_(std::move(value)),
      tree_(std::move(tree)) {}

Node::~Node() {
  if (is_component_) --tree_->nodes;
  for (const Component& each : components_)
    if (each.node) each.node->parent_ = nullptr;
}

void Node::check() const {
  if (is_destroyed_)
    throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO,
                                  "the DynAny was destroyed, or removed from its value");
}

bool Node::_implements(std::string_view repository_id) const noexcept {
  return repository_id == DynAny::_type_id;
}

// ---- the value and its components --------------------------------------------------------------

const CORBA::Any& Node::value() {
  if (!is_dirty_) return value_;
  value_ = make_value(type_, references(), [this](cdr::Encoder& encoder) { write(encoder); });
  is_dirty_ = false;
  return value_;
}

void Node::write(cdr::Encoder& encoder) {
  if (is_dirty_)
    write_parts(encoder);
  else
    any::encode_value(encoder, value_);
}

void Node::write_component(cdr::Encoder& encoder, const Component& component) {
  if (component.node)
    component.node->write(encoder);
  else
    any::encode_value(encoder, component.value);
}

void Node::write_all_parts(cdr::Encoder& encoder) {
  for (const Component& each : components_) write_component(encoder, each);
}

void Node::expand() {
  if (is_expanded_ || state_of(value_) != State::known) return;
  Parts parts = read_parts(value_, references(), tree_->labels);
  std::vector<Component> components;
  components.reserve(parts.values.size());
  for (CORBA::Any& each : parts.values) components.push_back({std::move(each), nullptr});
  // Otherwise a value with 128 levels could keep its octets 128 times.
  const bool is_released = is_component_ && parts.octets > kept_octets_max && is_rebuildable();
  components_ = std::move(components);
  is_expanded_ = true;
  parts_replaced();
  if (!is_released) return;
  is_dirty_ = true;
  value_.reset();
}

bool Node::is_rebuildable() {
  const auto [found, is_new] = tree_->rebuildable.try_emplace(plain_);
  if (is_new) found->second = !contains_kind(*plain_, &is_kept_kind);
  return found->second;
}

// A component with nodes inside is kept: the program may refer to one of them. Positions inside
// have left all other components before, so only the current component is tried.
void Node::release_component(std::int32_t index) noexcept {
  const bool is_there = index >= 0 && static_cast<std::size_t>(index) < components_.size();
  if (nodes_ == 0 || !is_there) return;
  Component& component = components_[static_cast<std::size_t>(index)];
  if (!component.node) return;
  Node& node = *component.node;
  node.release_component(node.position_);
  if (node.nodes_ != 0) return;
  CORBA::Any value;
  try {
    value = node.value();
  } catch (...) {
    return;  // for example no memory
  }
  const weak_counted_ptr<Node> in_use(component.node);
  component.node = nullptr;
  component.node = in_use.lock();
  if (component.node) return;  // the program refers to it
  component.value = std::move(value);
  --nodes_;
}

void Node::store(CORBA::Any value) {
  value_ = std::move(value);
  notify_parents();
}

void Node::set_value(CORBA::Any value) {
  if (nodes_ != 0 && state_of(value) == State::known)
    replace_components(read_parts(value, references(), tree_->labels).values);
  else
    end_components();
  value_ = std::move(value);
  length_.reset();
  is_dirty_ = false;
  reset_position();
  notify_parents();
}

void Node::end_components() noexcept {
  for (const Component& each : components_)
    if (each.node) each.node->invalidate();
  components_.clear();
  nodes_ = 0;
  is_expanded_ = false;
}

// Components that the program has as DynAnys stay, as long as their types stay.
void Node::replace_components(std::vector<CORBA::Any> parts) {
  std::vector<Component> components(parts.size());
  nodes_ = 0;
  is_replacing_ = true;
  for (std::size_t index = 0; index != components_.size(); ++index) {
    counted_ptr<Node>& node = components_[index].node;
    if (!node) continue;
    if (keep(index, parts)) {
      components[index].node = std::move(node);
      ++nodes_;
    } else {
      node->invalidate();
    }
  }
  is_replacing_ = false;
  for (std::size_t index = 0; index != parts.size(); ++index)
    if (!components[index].node) components[index].value = std::move(parts[index]);
  components_ = std::move(components);
  is_expanded_ = true;
  parts_replaced();
}

// The parent has the new value, whether or not the component can show it. Types with one repository
// id are equivalent, but may have different members: equivalence is not enough here.
bool Node::keep(std::size_t index, const std::vector<CORBA::Any>& parts) noexcept {
  try {
    if (index >= parts.size() || !keeps_member(index, parts)) return false;
    Node& node = *components_[index].node;
    if (!is_same_type(*node.type_.node, any::Access::type(parts[index]))) return false;
    node.set_value(matching(parts[index], node.type_, references()));
    return true;
  } catch (...) {
    return false;  // for example a component inside has more elements than the limit
  }
}

void Node::set_parts(std::vector<CORBA::Any> parts) {
  replace_components(std::move(parts));
  is_dirty_ = true;
  reset_position();
  notify_parents();
}

void Node::append_part(CORBA::Any part) {
  expand();
  components_.push_back({std::move(part), nullptr});
  is_dirty_ = true;
  notify_parents();
}

void Node::remove_parts(std::size_t first) {
  expand();
  for (std::size_t index = first; index < components_.size(); ++index) {
    if (!components_[index].node) continue;
    components_[index].node->invalidate();
    --nodes_;
  }
  components_.resize(std::min(first, components_.size()));
  is_dirty_ = true;
  notify_parents();
}

std::uint32_t Node::sequence_length() {
  if (!length_) length_ = read_length(value_);
  return *length_;
}

std::size_t Node::part_count() {
  expand();
  return components_.size();
}

Component& Node::at(std::size_t index) {
  expand();
  if (index >= components_.size())
    throw CORBA::INTERNAL(0, CORBA::COMPLETED_NO, "a DynAny has fewer components than its count");
  return components_[index];
}

const CORBA::Any& Node::part(std::size_t index) {
  const Component& found = at(index);
  return found.node ? found.node->value() : found.value;
}

std::vector<CORBA::Any> Node::parts() {
  std::vector<CORBA::Any> values;
  values.reserve(part_count());
  for (std::size_t index = 0; index != components_.size(); ++index) values.push_back(part(index));
  return values;
}

Node& Node::component(std::size_t index) {
  Component& found = at(index);
  if (!found.node) {
    found.node = make(found.value, references(), this);
    found.value.reset();
    ++nodes_;
  }
  return *found.node;
}

DynAny::_ref_type Node::component_reference(std::size_t index) {
  (void)component(index);
  return _ref_type(components_[index].node);
}

void Node::notify_parents() {
  if (parent_ != nullptr) parent_->component_changed(*this);
}

void Node::component_changed(const Node& component) {
  if (is_replacing_) return;
  is_dirty_ = true;
  if (plain_->kind == tk_union) {
    for (std::size_t index = 0; index != components_.size(); ++index)
      if (components_[index].node.get() == &component) part_changed(index);
  }
  notify_parents();
}

void Node::invalidate() noexcept {
  is_destroyed_ = true;
  parent_ = nullptr;
  end_components();
  value_.reset();
}

// ---- operations on the whole value -------------------------------------------------------------

CORBA::object_reference<CORBA::TypeCode> Node::type() {
  check();
  return CORBA::object_reference<CORBA::TypeCode>(
      make_counted<CORBA::TypeCode>(type_.node, type_.owner));
}

void Node::assign(const _ref_type& dyn_any) {
  check();
  set_value(matching(checked(dyn_any).to_any(), type_, references()));
}

void Node::from_any(const CORBA::Any& value) {
  check();
  set_value(matching(value, type_, references()));
}

CORBA::Any Node::to_any() {
  check();
  return value();
}

void Node::destroy() {
  check();
  if (!is_component_) invalidate();
}

DynAny::_ref_type Node::copy() {
  check();
  return _ref_type(make(value(), references()));
}

bool Node::equal(const _ref_type& dyn_any) {
  check();
  return equal_values(value(), checked(dyn_any).to_any(), references());
}

// ---- positions ---------------------------------------------------------------------------------

std::int32_t Node::position() {
  if (position_ == unset_position) position_ = may_have_components() && count() != 0 ? 0 : -1;
  return position_;
}

std::uint32_t Node::component_count() {
  check();
  return may_have_components() ? static_cast<std::uint32_t>(count()) : 0;
}

bool Node::seek(std::int32_t index) {
  const std::uint32_t components = component_count();
  const bool is_there = index >= 0 && static_cast<std::uint32_t>(index) < components;
  if (index != position_) release_component(position_);
  position_ = is_there ? index : -1;
  return is_there;
}

void Node::rewind() { seek(0); }

bool Node::next() {
  check();
  return seek(position() + 1);
}

DynAny::_ref_type Node::current_component() {
  check();
  if (!may_have_components())
    throw TypeMismatch("values of type '" + cdr::to_text(*type_.node) + "' have no components");
  if (position() < 0) return nullptr;
  return component_reference(static_cast<std::size_t>(position_));
}

}  // namespace perigee::dynamic
