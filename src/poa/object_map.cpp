// Keeps the two indices of the active objects consistent.
#include "poa/object_map.h"

#include <algorithm>
#include <cassert>
#include <unordered_set>
#include <utility>

namespace perigee::poa {

void ObjectMap::add(const std::string& id, const Object& object) {
  const auto [place, added] = ids_.emplace(id, object);
  assert(added);
  try {
    servants_.emplace(object.servant, object.slot);
  } catch (...) {
    if (added) ids_.erase(place);
    throw;
  }
}

std::optional<SlotRef> ObjectMap::find(const std::string& id) const noexcept {
  const auto found = ids_.find(id);
  return found != ids_.end() ? std::optional(found->second.slot) : std::nullopt;
}

std::optional<SlotRef> ObjectMap::find_by_servant(const Servant* servant) const noexcept {
  const auto found = servants_.find(servant);
  return found != servants_.end() ? std::optional(found->second) : std::nullopt;
}

std::vector<SlotRef> ObjectMap::slots() const {
  std::vector<SlotRef> slots;
  for (const auto& [id, object] : ids_) slots.push_back(object.slot);
  return slots;
}

std::optional<ObjectMap::Object> ObjectMap::remove(const std::string& id) noexcept {
  const auto found = ids_.find(id);
  if (found == ids_.end()) return std::nullopt;
  const Object object = found->second;
  ids_.erase(found);
  const auto [first, last] = servants_.equal_range(object.servant);
  const auto listed =
      std::find_if(first, last, [&object](const auto& each) { return each.second == object.slot; });
  if (listed != last) servants_.erase(listed);
  return object;
}

ObjectMap::ById ObjectMap::remove_all() noexcept {
  servants_.clear();
  return std::exchange(ids_, {});
}

bool ObjectMap::check_invariants() const {
  if (ids_.size() != servants_.size()) return false;
  std::unordered_set<SlotRef, SlotRefHash> slots;
  for (const auto& [id, object] : ids_) {
    if (!slots.insert(object.slot).second) return false;
    const auto [first, last] = servants_.equal_range(object.servant);
    const auto times = std::count_if(
        first, last, [&object](const auto& each) { return each.second == object.slot; });
    if (times != 1) return false;
  }
  return true;
}

}  // namespace perigee::poa
