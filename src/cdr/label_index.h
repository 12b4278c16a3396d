// Finds members by their labels: the branches of unions and the enumerators of enums with values.
#pragma once

#include "cdr/typecode_label.h"
#include <perigee/cdr/typecode.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace perigee::cdr {

/// Used for one walk over a value or a TypeCode. Types may come from the network. The first look-up
/// in a type visits all its members. This takes no more work than decoding the TypeCode took. Later
/// look-ups in a large type use a sorted table, so the work does not grow with the product of
/// values and members.
///
/// Types are known by their addresses: they must outlive the index.
class LabelIndex final {
 public:
  /// The first member with the label; nullptr if there is none. The default branch of a
  /// union has no label.
  [[nodiscard]] const TypeMember* find(const TypeNode& type, std::int64_t label) {
    if (type.members.size() <= few) return search(type, label);
    Known& known = known_[&type];
    if (!std::exchange(known.visited, true)) return search(type, label);
    if (known.sorted.empty()) known.sorted = sort(type);
    const auto found = std::ranges::lower_bound(known.sorted, label, {}, &Entry::first);
    if (found == known.sorted.end() || found->first != label) return nullptr;
    return &type.members[found->second];
  }

  /// The result of has_signed_enumerators, which visits all members. For a type with more than
  /// `few` members, the index calls has_signed_enumerators only once.
  [[nodiscard]] bool is_signed(const TypeNode& type) {
    if (type.members.size() <= few) return has_signed_enumerators(type);
    Known& known = known_[&type];
    if (!known.is_signed) known.is_signed = has_signed_enumerators(type);
    return *known.is_signed;
  }

 private:
  static constexpr std::size_t few = 16;
  using Entry = std::pair<std::int64_t, std::uint32_t>;  // a label, and the index of its member
  using Sorted = std::vector<Entry>;
  struct Known {
    bool visited = false;
    std::optional<bool> is_signed;
    Sorted sorted;
  };

  static bool is_default(const TypeNode& type, std::size_t index) noexcept {
    return static_cast<std::int64_t>(index) == type.default_index;
  }
  static const TypeMember* search(const TypeNode& type, std::int64_t label) noexcept {
    for (std::size_t index = 0; index < type.members.size(); ++index)
      if (!is_default(type, index) && type.members[index].label == label)
        return &type.members[index];
    return nullptr;
  }
  static Sorted sort(const TypeNode& type) {
    Sorted sorted;
    sorted.reserve(type.members.size());
    for (std::size_t index = 0; index < type.members.size(); ++index)
      if (!is_default(type, index))
        sorted.emplace_back(type.members[index].label, static_cast<std::uint32_t>(index));
    std::ranges::sort(sorted);  // of equal labels, the first member comes first
    return sorted;
  }

  std::map<const TypeNode*, Known> known_;
};

}  // namespace perigee::cdr
