// Making and finding POA managers.
#include "poa/manager_table.h"

#include "poa/manager.h"

#include <utility>

namespace perigee::poa {

ManagerTable::ManagerTable() = default;
ManagerTable::~ManagerTable() = default;

counted_ptr<Manager> ManagerTable::make(const std::shared_ptr<AdapterHost>& host) {
  const std::lock_guard lock(mutex_);
  for (;;) {
    const std::uint32_t number = made_count_++;
    auto made =
        make_locked(host, number == 0 ? "RootPOAManager" : "POAManager" + std::to_string(number));
    if (made) return made;
  }
}

counted_ptr<Manager> ManagerTable::make(const std::shared_ptr<AdapterHost>& host,
                                        const std::string& id) {
  const std::lock_guard lock(mutex_);
  return make_locked(host, id);
}

// Managers that no longer exist are removed here, so the table stays as small as it was at its
// largest number of managers.
counted_ptr<Manager> ManagerTable::make_locked(const std::shared_ptr<AdapterHost>& host,
                                               const std::string& id) {
  std::erase_if(managers_, [](const auto& entry) { return entry.second.expired(); });
  if (managers_.contains(id)) return nullptr;
  auto made = make_counted<Manager>(host, id);
  managers_.emplace(id, made);
  return made;
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
