// Finds out which types hold valuetypes, and how many values a message may hold.
#include "idlc/backends/cpp11/held_values.h"

#include <algorithm>
#include <map>
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
  if (is_value(actual) || is_abstract(actual)) return true;
  if (actual.key != nullptr && finds_values(*actual.key, visited)) return true;
  if (actual.element != nullptr) return finds_values(*actual.element, visited);
  return actual.declaration != nullptr && declares_values(*actual.declaration, visited);
}

/// Counts the values in a message, up to `several`.
class Count final {
 public:
  static constexpr int several = 2;

  int of(const Type& type) {
    const Type& actual = unaliased(type);
    if (is_value(actual) || is_abstract(actual)) return several;
    if (actual.kind == TypeKind::any) return 1;
    if (actual.key != nullptr && of(*actual.key) != 0) return several;
    if (actual.element != nullptr) return of(*actual.element) != 0 ? several : 0;
    return actual.declaration == nullptr ? 0 : of(*actual.declaration);
  }
  int of(const std::vector<Member>& members) {
    int count = 0;
    for (const Member& member : members) count = sum(count, of(*member.type));
    return count;
  }
  static int sum(int left, int right) { return std::min(left + right, several); }

 private:
  struct Counted {
    int values = 0;
    bool is_counting = true;
    bool is_recursive = false;  // the declaration contains itself
  };

  /// The number of values of a declaration. While a declaration is being counted, it counts 0
  /// inside itself. A message may contain a recursive declaration several times.
  int of(const Declaration& declaration) {
    const auto [known, is_new] = counted_.try_emplace(&declaration);
    Counted& counted = known->second;
    if (!is_new) {
      counted.is_recursive |= counted.is_counting;
      return counted.values;
    }
    const int values = of_members(declaration);
    counted.values = values != 0 && counted.is_recursive ? several : values;
    counted.is_counting = false;
    return counted.values;
  }

  int of_members(const Declaration& declaration) {
    int count = 0;
    if (const auto* structure = as<Struct>(&declaration)) {
      count = of(structure->members);
      if (structure->base != nullptr) count = sum(count, of(*structure->base));
    } else if (const auto* declared = as<Union>(&declaration)) {
      for (const UnionBranch& branch : declared->branches)
        count = std::max(count, of(*branch.member.type));
    }
    return count;
  }

  std::map<const Declaration*, Counted> counted_;  // references to elements stay valid
};

}  // namespace

bool is_value(const Type& type) {
  const Type& actual = unaliased(type);
  if (actual.kind == TypeKind::value_base || actual.kind == TypeKind::value_box) return true;
  const auto* value = as<ValueType>(actual.declaration);
  return actual.kind == TypeKind::value_type && value != nullptr && !value->is_holder;
}

bool is_abstract(const Type& type) {
  const auto* interface = as<Interface>(unaliased(type).declaration);
  return interface != nullptr && interface->is_abstract;
}

bool holds_values(const Type& type) {
  std::set<const Declaration*> visited;
  return finds_values(type, visited);
}

bool hold_values(const std::vector<Member>& members) {
  std::set<const Declaration*> visited;
  return find_values(members, visited);
}

bool may_share_values(const std::vector<const Type*>& types) {
  Count counts;
  int count = 0;
  for (const Type* type : types) count = Count::sum(count, counts.of(*type));
  return count == Count::several;
}

bool may_share_values(const std::vector<Member>& members) {
  return Count().of(members) == Count::several;
}

}  // namespace perigee::idlc::cpp11
