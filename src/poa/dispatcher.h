// From a request's object key to the servant and back: the adapters' common tables and the upcall
// trampoline, the one place that catches everything. Creates nothing: that is the adapters'
// business.
#pragma once

#include "orb/context/upcall_scope.h"
#include "orb/core/orb_core.h"
#include "poa/key_index.h"
#include "poa/limits.h"
#include "poa/object_key.h"
#include "poa/slot_table.h"
#include "poa/upcall.h"
#include <perigee/base/export.h>
#include <perigee/orb/server_request.h>
#include <perigee/poa/poa.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace perigee::poa {

class Adapter;
class AdapterVisit;
class NameTable;
class Manager;

struct AdapterEntry {
  counted_ptr<Adapter> adapter;
};

/// One per ORB. Any thread. Shared by the ORB's service and by the adapters, since applications may
/// keep adapters longer than the ORB.
class Dispatcher final : public orb::RequestDispatcher,
                         public std::enable_shared_from_this<Dispatcher> {
 public:
  explicit Dispatcher(std::weak_ptr<orb::OrbCore> core, AdapterLimits limits = {});

  void dispatch(orb::ServerRequest& request) noexcept override;
  [[nodiscard]] const void* gate_of(OctetSpan object_key) noexcept override;
  orb::Location locate(OctetSpan object_key) noexcept override;
  [[nodiscard]] bool is_local_key(OctetSpan object_key) const noexcept override;

  /// @name For the adapters.
  /// @{
  [[nodiscard]] SlotTable<ActiveObject>& objects() noexcept { return objects_; }
  [[nodiscard]] SlotTable<AdapterEntry>& adapters() noexcept { return adapters_; }
  /// Objects whose slot cannot be read off their key.
  [[nodiscard]] KeyIndex& key_index() noexcept { return key_index_; }
  [[nodiscard]] std::uint64_t nonce() const noexcept { return nonce_; }
  [[nodiscard]] const AdapterLimits& limits() const noexcept { return limits_; }
  /// Raises OBJECT_NOT_EXIST once the ORB is gone.
  [[nodiscard]] std::shared_ptr<orb::OrbCore> core() const;
  [[nodiscard]] std::shared_ptr<orb::OrbCore> core_if_alive() const noexcept {
    return core_.lock();
  }
  /// Raises BAD_INV_ORDER, OMG minor 3, within an upcall of this ORB, and where the calling thread
  /// may be what brings the answers of requests.
  void check_may_wait() const;
  [[nodiscard]] bool may_wait() const noexcept;
  /// Around calls to an application's servants and managers.
  [[nodiscard]] orb::UpcallScope enter_upcall() const noexcept {
    return orb::UpcallScope(*context_identity_);
  }
  /// A manager has become active. Raises INITIALIZE if the server cannot serve.
  void begin_accepting();
  /// A manager has changed its state: requests that the server keeps may go on.
  void resume_held_requests() noexcept;
  [[nodiscard]] std::string next_manager_id();
  /// @}

  /// The Root POA, made at the first call and after it was destroyed.
  [[nodiscard]] counted_ptr<Adapter> root();
  /// The Root POA if there is one.
  [[nodiscard]] counted_ptr<Adapter> existing_root() const;
  /// The adapter whose ids are whole object keys, made at the first call and after it was
  /// destroyed.
  [[nodiscard]] counted_ptr<Adapter> named_root();
  [[nodiscard]] counted_ptr<Adapter> existing_named_root() const noexcept;
  [[nodiscard]] const counted_ptr<NameTable>& name_table() const noexcept { return name_table_; }
  void set_hooks(const UpcallHooks* hooks) noexcept { hooks_.store(hooks); }

 private:
  using ObjectPin = SlotTable<ActiveObject>::Pin;
  using AdapterPin = SlotTable<AdapterEntry>::Pin;
  struct Target;
  struct PathEnd;
  enum class Gate : std::uint8_t { open, look_again, taken };
  enum class Served : std::uint8_t { yes, look_again };

  [[nodiscard]] ObjectPin find_object(const std::optional<KeyView>& key, OctetSpan octets) noexcept;
  [[nodiscard]] Target find(OctetSpan key) noexcept;
  void find_adapter(const std::optional<KeyView>& key, OctetSpan octets, Target& target) noexcept;
  void raise_unknown_key(OctetSpan key) const;
  [[nodiscard]] PathEnd walk(OctetSpan path) const noexcept;
  void route(orb::ServerRequest& request);
  [[nodiscard]] Gate pass(orb::ServerRequest& request, Target& target);
  [[nodiscard]] Served serve_inactive(orb::ServerRequest& request, Target& target);
  void call(orb::ServerRequest& request, const ServedObject& object, const ObjectPin* pin);
  void call_located(orb::ServerRequest& request, Adapter& adapter, OctetSpan id);
  static void call_with_hooks(orb::ServerRequest& request, const ServedObject& object,
                              const UpcallHooks& hooks);

  const std::weak_ptr<orb::OrbCore> core_;
  const orb::OrbContext* const context_identity_;  // never used to reach it: it may be gone
  const AdapterLimits limits_;
  const std::uint64_t nonce_;
  std::atomic<const UpcallHooks*> hooks_{nullptr};
  SlotTable<ActiveObject> objects_;
  SlotTable<AdapterEntry> adapters_;
  KeyIndex key_index_;
  std::atomic<std::uint32_t> manager_count_{0};
  mutable std::mutex root_mutex_;
  weak_counted_ptr<Adapter> root_;           // guarded by root_mutex_; kept by its slot
  weak_counted_ptr<Adapter> named_root_;     // the same
  const counted_ptr<NameTable> name_table_;  // shared with the application's references
};

}  // namespace perigee::poa
