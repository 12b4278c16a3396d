// The active objects of one adapter: from an id to its slot and servant, and from a servant to the
// number of its objects. Knows nothing of what is in a slot.
#pragma once

#include "poa/servant_activation.h"
#include "poa/slot_table.h"
#include "poa/text_hash.h"
#include <perigee/base/octets.h>
#include <perigee/poa/servant.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace perigee::poa {

/// Guarded by the mutex of the adapter.
///
/// Invariants: each object is listed once by its id, and counted once at its servant. No slot is
/// listed twice. A servant that never had two objects at one time is listed with its object's slot.
class ObjectMap {
 public:
  using Servant = PortableServer::Servant;
  struct Object {
    SlotRef slot;
    const Servant* servant = nullptr;
    Octets key{};                               ///< in the KeyIndex; empty if it is not there
    ServantActivation::LeavingNodes leaving{};  ///< empty if no servant activator is possible
  };
  /// The map keys are object ids.
  using ById = std::unordered_map<std::string, Object, TextHash, std::equal_to<>>;

  /// The id must not be listed. Throws bad_alloc, and then lists nothing. The address of the
  /// returned object is valid until the object is removed.
  const Object& add(const std::string& id, Object object);
  [[nodiscard]] std::optional<SlotRef> find(std::string_view id) const noexcept;
  [[nodiscard]] bool contains(std::string_view id) const noexcept { return ids_.contains(id); }
  /// The object that the servant serves. std::nullopt if there is none, or if the servant has had
  /// two objects at one time. The latter cannot happen in a UNIQUE_ID adapter, and only such
  /// adapters call this function.
  [[nodiscard]] std::optional<SlotRef> find_by_servant(const Servant* servant) const noexcept;
  [[nodiscard]] bool serves(const Servant* servant) const noexcept {
    return servants_.contains(servant);
  }
  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
  [[nodiscard]] std::vector<SlotRef> slots() const;

  /// std::nullopt if the id is not listed.
  std::optional<Object> remove(std::string_view id) noexcept;
  [[nodiscard]] ById remove_all() noexcept;

  [[nodiscard]] bool check_invariants() const;

 private:
  /// Has a count in place of a list of slots, so that an object is removed in constant time,
  /// however many objects its servant has.
  struct Served {
    std::size_t count = 0;
    SlotRef slot;  ///< the slot of the only object; generation 0 after there were two
  };

  ById ids_;
  std::unordered_map<const Servant*, Served> servants_;
};

}  // namespace perigee::poa
