// Keeps the two indices of the active objects consistent.
#include "poa/object_map.h"

#include "base/undo.h"

#include <algorithm>
#include <cassert>
#include <unordered_set>
#include <utility>

namespace perigee::poa {

const ObjectMap::Object& ObjectMap::add(const std::string& id, Object object) {
  const auto [place, added] = ids_.emplace(id, std::move(object));
  assert(added);
  const Object& listed = place->second;
  Undo by_id([this, added, place] {
    if (added) ids_.erase(place);
  });
  Served& served = servants_[listed.servant];
  by_id.keep();
  served.slot = ++served.count == 1 ? listed.slot : SlotRef();
  return listed;
}

std::optional<SlotRef> ObjectMap::find(std::string_view id) const noexcept {
  const auto found = ids_.find(id);
  return found != ids_.end() ? std::optional(found->second.slot) : std::nullopt;
}

std::optional<SlotRef> ObjectMap::find_by_servant(const Servant* servant) const noexcept {
  const auto found = servants_.find(servant);
  if (found == servants_.end() || found->second.slot.generation == 0) return std::nullopt;
  return found->second.slot;
}

std::vector<SlotRef> ObjectMap::slots() const {
  std::vector<SlotRef> slots;
  for (const auto& [id, object] : ids_) slots.push_back(object.slot);
  return slots;
}

std::optional<ObjectMap::Object> ObjectMap::remove(std::string_view id) noexcept {
  const auto found = ids_.find(id);
  if (found == ids_.end()) return std::nullopt;
  Object object = std::move(found->second);
  ids_.erase(found);
  const auto served = servants_.find(object.servant);
  if (--served->second.count == 0) servants_.erase(served);
  return object;
}

ObjectMap::ById ObjectMap::remove_all() noexcept {
  servants_.clear();
  return std::exchange(ids_, {});
}

bool ObjectMap::check_invariants() const {
  std::unordered_set<SlotRef, SlotRefHash> slots;
  std::unordered_map<const Servant*, std::size_t> counts;
  for (const auto& [id, object] : ids_) {
    if (!slots.insert(object.slot).second) return false;
    ++counts[object.servant];
  }
  return counts.size() == servants_.size() && std::ranges::all_of(servants_, [&](const auto& each) {
           const auto& [servant, served] = each;
           const bool keeps_slot = served.slot.generation != 0;
           return counts[servant] == served.count &&
                  (!keeps_slot || (served.count == 1 && slots.contains(served.slot)));
         });
}

}  // namespace perigee::poa
