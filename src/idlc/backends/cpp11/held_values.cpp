// Which types hold values.
#include "idlc/backends/cpp11/held_values.h"

#include <algorithm>
#include <set>

namespace perigee::idlc::cpp11 {

namespace {

bool finds_values(const Type& type, std::set<const Declaration*>& visited);

bool find_values(const std::vector<Member>& members, std::set<const Declaration*>& visited) {
  return std::ranges::any_of(
      members, [&](const Member& member) { return finds_values(*member.type, visited); });
}

bool declares_values(const Declaration& declaration, std::set<const Declaration*>& visited) {
  if (!visited.insert(&declaration).second) return false;  // looked at already
  if (const auto* structure = as<Struct>(&declaration))
    return find_values(structure->members, visited) ||
           (structure->base != nullptr && declares_values(*structure->base, visited));
  if (const auto* declared = as<Union>(&declaration))
    return std::ranges::any_of(declared->branches, [&](const UnionBranch& branch) {
      return finds_values(*branch.member.type, visited);
    });
  return false;
}

bool finds_values(const Type& type, std::set<const Declaration*>& visited) {
  const Type& actual = unaliased(type);
  if (is_value(actual)) return true;
  if (actual.key != nullptr && finds_values(*actual.key, visited)) return true;
  if (actual.element != nullptr) return finds_values(*actual.element, visited);
  return actual.declaration != nullptr && declares_values(*actual.declaration, visited);
}

}  // namespace

bool is_value(const Type& type) {
  const Type& actual = unaliased(type);
  if (actual.kind == TypeKind::value_base || actual.kind == TypeKind::value_box) return true;
  const auto* value = as<ValueType>(actual.declaration);
  return actual.kind == TypeKind::value_type && value != nullptr && !value->is_holder;
}

bool holds_values(const Type& type) {
  std::set<const Declaration*> visited;
  return finds_values(type, visited);
}

bool hold_values(const std::vector<Member>& members) {
  std::set<const Declaration*> visited;
  return find_values(members, visited);
}

}  // namespace perigee::idlc::cpp11
