// The active objects of one adapter: from an id to its slot and servant, and from a servant to the
// slots that it serves. Knows nothing of what is in a slot.
#pragma once

#include "poa/slot_table.h"
#include <perigee/poa/servant.h>

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace perigee::poa {

/// Guarded by the mutex of the adapter.
///
/// Invariant: each object is listed once by its id and once by its servant; no slot is listed
/// twice.
class ObjectMap {
 public:
  using Servant = PortableServer::Servant;
  struct Object {
    SlotRef slot;
    const Servant* servant = nullptr;
  };
  using ById = std::unordered_map<std::string, Object>;  // an object id as map key

  /// The id must not be listed. Nothing is listed if there is no memory.
  void add(const std::string& id, const Object& object);
  [[nodiscard]] std::optional<SlotRef> find(const std::string& id) const noexcept;
  [[nodiscard]] bool contains(const std::string& id) const noexcept { return ids_.contains(id); }
  /// One of the objects that the servant serves.
  [[nodiscard]] std::optional<SlotRef> find_by_servant(const Servant* servant) const noexcept;
  [[nodiscard]] bool serves(const Servant* servant) const noexcept {
    return servants_.contains(servant);
  }
  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
  [[nodiscard]] std::vector<SlotRef> slots() const;

  /// Nothing if the id is not listed.
  std::optional<Object> remove(const std::string& id) noexcept;
  [[nodiscard]] ById remove_all() noexcept;

  [[nodiscard]] bool check_invariants() const;

 private:
  ById ids_;
  std::unordered_multimap<const Servant*, SlotRef> servants_;
};

}  // namespace perigee::poa
