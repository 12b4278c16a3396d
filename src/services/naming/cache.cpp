// Two generations of bindings.
#include "services/naming/cache.h"

namespace perigee::naming {

std::optional<Resolved> Cache::find(ContextNumber context, const Component& name) {
  const KeyView key{context, name};
  const std::lock_guard lock(mutex_);
  if (const auto young = young_.find(key); young != young_.end()) return young->second;
  const auto old = old_.find(key);
  if (old == old_.end()) return std::nullopt;
  Resolved found = old->second;
  auto node = old_.extract(old);
  insert(std::move(node.key()), std::move(node.mapped()));
  return found;
}

std::uint64_t Cache::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

void Cache::put(ContextNumber context, const Component& name, const Resolved& resolved,
                std::uint64_t generation) {
  const std::lock_guard lock(mutex_);
  if (generation != generation_ || half_ == 0) return;
  insert({context, name}, resolved);
}

void Cache::remove(ContextNumber context, const Component& name) {
  const KeyView key{context, name};
  const std::lock_guard lock(mutex_);
  ++generation_;
  for (Map* map : {&young_, &old_})
    if (const auto found = map->find(key); found != map->end()) map->erase(found);
}

void Cache::clear() {
  const std::lock_guard lock(mutex_);
  ++generation_;
  young_.clear();
  old_.clear();
}

void Cache::insert(Key key, Resolved resolved) {
  if (young_.size() >= half_) {
    old_ = std::move(young_);
    young_.clear();
  }
  young_.insert_or_assign(std::move(key), std::move(resolved));
}

}  // namespace perigee::naming
