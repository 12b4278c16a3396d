// Making and finding POA managers.
#include "poa/manager_table.h"

#include "poa/manager.h"

#include <algorithm>
#include <utility>

namespace perigee::poa {

ManagerTable::ManagerTable() = default;
ManagerTable::~ManagerTable() = default;

counted_ptr<Manager> ManagerTable::make(const std::shared_ptr<AdapterHost>& host) {
  const std::lock_guard lock(mutex_);
  for (;;)
    if (auto made = make_locked(host, "POAManager" + std::to_string(++made_count_))) return made;
}

counted_ptr<Manager> ManagerTable::make(const std::shared_ptr<AdapterHost>& host,
                                        const std::string& id) {
  const std::lock_guard lock(mutex_);
  return make_locked(host, id);
}

counted_ptr<Manager> ManagerTable::make_locked(const std::shared_ptr<AdapterHost>& host,
                                               const std::string& id) {
  remove_expired();
  weak_counted_ptr<Manager>& place = managers_[id];
  if (!place.expired()) return nullptr;
  auto made = make_counted<Manager>(host, id, ++last_number_);
  place = made;
  return made;
}

// The table is searched only when it has doubled since the last search, so that making many
// managers stays cheap.
void ManagerTable::remove_expired() {
  if (managers_.size() < search_at_) return;
  std::erase_if(managers_, [](const auto& entry) { return entry.second.expired(); });
  search_at_ = std::max<std::size_t>(16, 2 * managers_.size());
}

std::vector<counted_ptr<Manager>> ManagerTable::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<counted_ptr<Manager>> found;
  for (const auto& [id, manager] : managers_)
    if (auto alive = manager.lock()) found.push_back(std::move(alive));
  return found;
}

counted_ptr<Manager> ManagerTable::find(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = managers_.find(id);
  return found != managers_.end() ? found->second.lock() : nullptr;
}

}  // namespace perigee::poa
