// Finds the servant for a request's object key, makes the upcall, and catches all exceptions. Makes
// the root adapters, which make all other adapters.
#pragma once

#include "orb/context/upcall_scope.h"
#include "orb/core/orb_core.h"
#include "poa/adapter_host.h"
#include "poa/limits.h"
#include "poa/manager_table.h"
#include "poa/object_key.h"
#include "poa/slot_table.h"
#include "poa/upcall.h"
#include "poa/upcall_hooks.h"
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

/// One per ORB. Any thread. Its adapters share it, as their host.
class Dispatcher final : public orb::RequestDispatcher,
                         public AdapterHost,
                         public std::enable_shared_from_this<Dispatcher> {
 public:
  explicit Dispatcher(const std::weak_ptr<orb::OrbCore>& core, const AdapterLimits& limits = {});

  void dispatch(orb::ServerRequest& request) noexcept override;
  [[nodiscard]] const void* gate_of(OctetSpan object_key) noexcept override;
  orb::Location locate(OctetSpan object_key) noexcept override;
  [[nodiscard]] bool is_bidirectional(OctetSpan object_key) noexcept override;
  [[nodiscard]] bool is_local_key(OctetSpan object_key) const noexcept override;

  /// The Root POA. Makes it at the first call, and again if it was destroyed.
  [[nodiscard]] counted_ptr<Adapter> root();
  /// The Root POA if there is one.
  [[nodiscard]] counted_ptr<Adapter> existing_root() const;
  /// The adapter whose ids are whole object keys. Makes it at the first call, and again if it was
  /// destroyed.
  [[nodiscard]] counted_ptr<Adapter> named_root();
  [[nodiscard]] counted_ptr<Adapter> existing_named_root() const noexcept;
  [[nodiscard]] const counted_ptr<NameTable>& name_table() const noexcept { return name_table_; }
  [[nodiscard]] ManagerTable& managers() noexcept override { return managers_; }
  /// `hooks` must live as long as requests come.
  void set_hooks(UpcallHooks* hooks) noexcept;

 private:
  [[nodiscard]] counted_ptr<Manager> coming_root_manager();
  void add_root_components(PolicySet& set, const Manager& manager);
  [[nodiscard]] counted_ptr<Adapter> make_root(counted_ptr<Manager> manager, PolicySet policies);
  [[nodiscard]] counted_ptr<Adapter> make_named_root();

  using ObjectPin = SlotTable<ActiveObject>::Pin;
  using AdapterPin = SlotTable<AdapterEntry>::Pin;
  struct Target;
  struct PathEnd;
  enum class Gate : std::uint8_t { open, main_thread, look_again, woken, taken };
  enum class Served : std::uint8_t { yes, look_again };
  enum class Intercepted : std::uint8_t { no, yes };

  [[nodiscard]] ObjectPin find_object(const std::optional<KeyView>& key, OctetSpan octets) noexcept;
  [[nodiscard]] Target find(OctetSpan key) noexcept;
  void find_adapter(const std::optional<KeyView>& key, OctetSpan octets, Target& target) noexcept;
  void raise_unknown_key(OctetSpan key) const;
  [[nodiscard]] PathEnd walk(OctetSpan path) const noexcept;
  void dispatch_extended(orb::ServerRequest& request) noexcept;
  void dispatch_without_slots(orb::ServerRequest& request) noexcept;
  void find_again(const orb::ServerRequest& request, Target& target) noexcept;
  void route(orb::ServerRequest& request, Target& target);
  [[nodiscard]] Gate pass(orb::ServerRequest& request, Target& target);
  [[nodiscard]] Served route_to_main_thread(orb::ServerRequest& request);
  [[nodiscard]] Served route_on_main_thread(orb::ServerRequest& request);
  [[noreturn]] static void raise_not_served(const orb::ServerRequest& request,
                                            orb::MainThread::End end);
  [[nodiscard]] static Gate hold(orb::ServerRequest& request, Target& target, Adapter& adapter);
  [[nodiscard]] Served serve_inactive(orb::ServerRequest& request, Target& target);
  void call(orb::ServerRequest& request, const ServedObject& object, const ObjectPin* pin);
  void call_intercepted(orb::ServerRequest& request, const ServedObject& object,
                        const ObjectPin* pin);
  template <Intercepted intercepted>
  void call_here(orb::ServerRequest& request, const ServedObject& object, const ObjectPin* pin);
  void call_located(orb::ServerRequest& request, Adapter& adapter, OctetSpan id);
  void begin_interception(orb::ServerRequest& request);
  void end_parked(orb::ServerRequest& request) noexcept;
  void answer_exception(orb::ServerRequest& request) noexcept;
  void call_with_hooks(orb::ServerRequest& request, const ServedObject& object);

  std::atomic<UpcallHooks*> hooks_{nullptr};
  ManagerTable managers_;
  mutable std::mutex root_mutex_;
  weak_counted_ptr<Adapter> root_;            // guarded by root_mutex_; kept by its slot
  weak_counted_ptr<Adapter> named_root_;      // the same
  weak_counted_ptr<Manager> coming_manager_;  // the same; of a Root POA that is being made
  const counted_ptr<NameTable> name_table_;   // shared with the application's references
};

}  // namespace perigee::poa
