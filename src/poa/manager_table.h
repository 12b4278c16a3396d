// The POA managers of an ORB, by their ids.
#pragma once

#include <perigee/base/counted_ptr.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace perigee::poa {

class AdapterHost;
class Manager;

/// Any thread. Keeps no manager alive: a manager exists as long as an adapter or a reference of the
/// application uses it. Its id is free afterwards.
class ManagerTable {
 public:
  ManagerTable();
  ~ManagerTable();
  ManagerTable(const ManagerTable&) = delete;
  ManagerTable& operator=(const ManagerTable&) = delete;

  /// Makes a manager with an id that no other manager has: "POAManager1" and so on.
  [[nodiscard]] counted_ptr<Manager> make(const std::shared_ptr<AdapterHost>& host);
  /// Null: another manager has the id.
  [[nodiscard]] counted_ptr<Manager> make(const std::shared_ptr<AdapterHost>& host,
                                          const std::string& id);
  [[nodiscard]] std::vector<counted_ptr<Manager>> all() const;
  [[nodiscard]] counted_ptr<Manager> find(const std::string& id) const;

 private:
  [[nodiscard]] counted_ptr<Manager> make_locked(const std::shared_ptr<AdapterHost>& host,
                                                 const std::string& id);

  /// Expects mutex_ to be held.
  void remove_expired();

  mutable std::mutex mutex_;                                   // guards the members below
  std::map<std::string, weak_counted_ptr<Manager>> managers_;  // some no longer exist
  std::size_t search_at_ = 16;    // the size at which to remove managers that no longer exist
  std::uint32_t made_count_ = 0;  // of managers with ids that the system made
  std::int32_t last_number_ = 0;
};

}  // namespace perigee::poa
