// The common part of all adapters of an ORB: the tables of objects and adapters, and the functions
// of the ORB that they use. Knows neither adapters nor requests.
#pragma once

#include "orb/context/upcall_scope.h"
#include "orb/core/orb_core.h"
#include "poa/key_index.h"
#include "poa/limits.h"
#include "poa/served_object.h"
#include "poa/slot_table.h"
#include <perigee/base/counted_ptr.h>

#include <cstdint>
#include <memory>
#include <utility>

namespace perigee::poa {

class AdapterHooks;

class ManagerTable;

struct AdapterEntry {
  counted_ptr<Adapter> adapter;
};

/// One per ORB. Any thread. Shared by the ORB's service and by the adapters, since adapters that an
/// application keeps may outlive the ORB.
class AdapterHost {
 public:
  AdapterHost(const AdapterHost&) = delete;
  AdapterHost& operator=(const AdapterHost&) = delete;

  [[nodiscard]] SlotTable<ActiveObject>& objects() noexcept { return objects_; }
  [[nodiscard]] SlotTable<AdapterEntry>& adapters() noexcept { return adapters_; }
  /// The slots of objects whose key does not contain the slot.
  [[nodiscard]] KeyIndex& key_index() noexcept { return key_index_; }
  [[nodiscard]] const KeyIndex& key_index() const noexcept { return key_index_; }
  [[nodiscard]] std::uint64_t nonce() const noexcept { return nonce_; }
  [[nodiscard]] const AdapterLimits& limits() const noexcept { return limits_; }
  /// Raises OBJECT_NOT_EXIST after the end of the ORB.
  [[nodiscard]] std::shared_ptr<orb::OrbCore> core() const;
  [[nodiscard]] std::shared_ptr<orb::OrbCore> core_if_alive() const noexcept {
    return core_.lock();
  }
  /// Raises BAD_INV_ORDER, OMG minor 3, within an upcall of this ORB. Also raises it if the calling
  /// thread may have to deliver the replies of requests in progress.
  void check_may_wait() const;
  [[nodiscard]] bool may_wait() const noexcept;
  /// Held during calls to an application's servants and managers.
  [[nodiscard]] orb::UpcallScope enter_upcall() const noexcept {
    return orb::UpcallScope(*context_identity_);
  }
  /// Identifies upcalls of this ORB. Use only its address: the context may no longer exist.
  [[nodiscard]] const orb::OrbContext& context_identity() const noexcept {
    return *context_identity_;
  }
  /// Called when a manager has become active. Raises INITIALIZE if the server cannot serve.
  void begin_accepting();
  /// Called when a manager has changed its state: held requests of the server may go on.
  void resume_held_requests() noexcept;
  [[nodiscard]] virtual ManagerTable& managers() noexcept = 0;
  /// Null without interceptors, and after the end of the ORB. The result keeps the ORB alive,
  /// because the ORB owns the hooks.
  [[nodiscard]] std::shared_ptr<AdapterHooks> hooks() const noexcept {
    AdapterHooks* const hooks = hooks_.load();
    if (hooks == nullptr) return nullptr;
    auto core = core_if_alive();
    return core ? std::shared_ptr<AdapterHooks>(std::move(core), hooks) : nullptr;
  }
  void set_adapter_hooks(AdapterHooks* hooks) noexcept { hooks_.store(hooks); }

 protected:
  AdapterHost(std::weak_ptr<orb::OrbCore> core, const AdapterLimits& limits);
  ~AdapterHost() = default;

 private:
  const std::weak_ptr<orb::OrbCore> core_;
  const orb::OrbContext* const context_identity_;
  const AdapterLimits limits_;
  const std::uint64_t nonce_;
  SlotTable<ActiveObject> objects_;
  SlotTable<AdapterEntry> adapters_;
  KeyIndex key_index_;
  std::atomic<AdapterHooks*> hooks_{nullptr};
};

}  // namespace perigee::poa
