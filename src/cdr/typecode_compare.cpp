// Compares types. Each pair of nodes is compared once, from a list instead of by recursion: types
// may be recursive, and may come from the network. CORBA 3.0, 4.11.1.
#include "cdr/typecode_label.h"
#include <perigee/cdr/typecode.h>

#include <set>
#include <utility>

namespace perigee::cdr {

namespace {

enum class Strictness { equal, equivalent };

class Comparison final {
 public:
  Comparison(Strictness strictness, TypeLimits limits)
      : is_strict_(strictness == Strictness::equal), pairs_max_(limits.nodes_max) {}

  bool run(const TypeNode& a, const TypeNode& b) {
    add(&a, &b);
    for (std::size_t next = 0; next < pairs_.size(); ++next)
      if (!same(pairs_[next])) return false;
    return is_within_limit_;
  }

 private:
  using Pair = std::pair<const TypeNode*, const TypeNode*>;

  /// Adds a pair that must also be equal. A pair that was added before is assumed to be equal, so
  /// that the comparison of recursive types ends.
  void add(const TypeNode* a, const TypeNode* b) {
    if (!is_strict_ && a != nullptr && b != nullptr) {
      a = &unaliased(*a);
      b = &unaliased(*b);
    }
    if (a == b) return;
    if (pairs_.size() >= pairs_max_) {
      is_within_limit_ = false;
      return;
    }
    if (seen_.insert({a, b}).second) pairs_.emplace_back(a, b);
  }

  bool same(const Pair& pair) {
    if (pair.first == nullptr || pair.second == nullptr) return false;  // exactly one is null
    const TypeNode& a = *pair.first;
    const TypeNode& b = *pair.second;
    if (a.kind != b.kind) return false;
    if (is_strict_ && (a.id != b.id || a.name != b.name)) return false;
    if (!is_strict_ && !a.id.empty() && !b.id.empty()) return a.id == b.id;
    const bool is_same_shape = a.bound == b.bound && a.digits == b.digits && a.scale == b.scale &&
                               a.default_index == b.default_index;
    if (!is_same_shape || !same_members(a, b)) return false;
    add(a.content, b.content);
    add(a.key, b.key);
    return true;
  }

  bool same_members(const TypeNode& a, const TypeNode& b) {
    if (a.members.size() != b.members.size()) return false;
    for (std::size_t index = 0; index < a.members.size(); ++index) {
      const TypeMember& mine = a.members[index];
      const TypeMember& its = b.members[index];
      const bool has_label = static_cast<std::int64_t>(index) != a.default_index;
      if (has_label && mine.label != its.label) return false;
      if (is_strict_ && mine.name != its.name) return false;
      add(mine.type, its.type);
    }
    return true;
  }

  bool is_strict_;
  std::size_t pairs_max_;
  bool is_within_limit_ = true;
  std::vector<Pair> pairs_;
  std::set<Pair> seen_;
};

}  // namespace

bool equal(const TypeNode& a, const TypeNode& b, TypeLimits limits) {
  return &a == &b || Comparison(Strictness::equal, limits).run(a, b);
}

bool equivalent(const TypeNode& a, const TypeNode& b, TypeLimits limits) {
  const TypeNode& mine = unaliased(a);
  const TypeNode& its = unaliased(b);
  if (&mine == &its) return true;
  if (mine.kind != its.kind) return false;
  // Nearly all comparisons are of types with ids, or of types without parts.
  if (!mine.id.empty() && !its.id.empty()) return mine.id == its.id;
  return Comparison(Strictness::equivalent, limits).run(mine, its);
}

}  // namespace perigee::cdr
