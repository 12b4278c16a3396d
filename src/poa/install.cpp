// The adapters as a service of the ORB.
#include "poa/install.h"

#include "orb/core/orb_core.h"
#include "poa/adapter.h"
#include "poa/current.h"
#include "poa/dispatcher.h"
#include "poa/ior_table.h"
#include "poa/manager.h"
#include "poa/policy_factories.h"
#include <perigee/base/io_error.h>
#include <perigee/poa/poa.h>

#include <memory>

namespace perigee::poa {

namespace {

using CORBA::COMPLETED_NO;
using State = PortableServer::POAManager::State;

// A holding adapter will not be activated any more: its waiting requests are discarded. Requests
// that active adapters have accepted are finished.
void release_held(Adapter& adapter) noexcept {
  try {
    if (adapter.manager().state() == State::HOLDING)
      adapter.shared_manager()->discard_requests(false);
  } catch (const CORBA::Exception&) {  // deactivated meanwhile: nothing is held
  }
  for (auto child = adapter.first_child(); child; child = adapter.child_after(*child))
    release_held(*child);
}

class AdapterService final : public orb::Service {
 public:
  AdapterService(orb::OrbCore& core, const AdapterLimits& limits)
      : dispatcher_(std::make_shared<Dispatcher>(core.weak_from_this(), limits)) {}
  ~AdapterService() override { destroy(); }

  void stop(orb::Completion /*completion*/) noexcept override {
    for (const auto& root : {dispatcher_->existing_root(), dispatcher_->existing_named_root()})
      if (root) release_held(*root);
  }
  // The server has stopped, but collocated calls may be in progress on any thread.
  void destroy() noexcept override {
    for (const auto& root : {dispatcher_->existing_named_root(), dispatcher_->existing_root()})
      if (root && !root->destroyed()) root->destroy(true, dispatcher_->may_wait());
    dispatcher_->name_table()->clear();
  }
  [[nodiscard]] const std::shared_ptr<Dispatcher>& dispatcher() const noexcept {
    return dispatcher_;
  }

 private:
  const std::shared_ptr<Dispatcher> dispatcher_;  // shared with the adapters
};

using Find = CORBA::object_reference<CORBA::Object> (*)(Dispatcher& dispatcher);

void start_server(const Dispatcher& dispatcher) {
  const auto core = dispatcher.core();
  if (core->server() != nullptr) {
    if (const auto started = core->server()->start(); !started)
      throw CORBA::INITIALIZE(0, COMPLETED_NO, to_string(started.error()));
  }
}

struct InitialReference {
  const char* name;
  Find find;
};

// Resolving one of these opens the server's endpoints.
constexpr InitialReference initial_references[] = {
    {"RootPOA",
     [](Dispatcher& dispatcher) {
       return CORBA::object_reference<CORBA::Object>(dispatcher.root());
     }},
    {"INSPOA",
     [](Dispatcher& dispatcher) {
       return CORBA::object_reference<CORBA::Object>(dispatcher.named_root());
     }},
    {"omniINSPOA",
     [](Dispatcher& dispatcher) {
       return CORBA::object_reference<CORBA::Object>(dispatcher.named_root());
     }},
    {"IORTable",
     [](Dispatcher& dispatcher) {
       return CORBA::object_reference<CORBA::Object>(dispatcher.name_table());
     }},
};

}  // namespace

void set_upcall_hooks(orb::OrbCore& core, UpcallHooks* hooks) noexcept {
  if (core.dispatcher() != nullptr) static_cast<Dispatcher*>(core.dispatcher())->set_hooks(hooks);
}

void set_adapter_hooks(orb::OrbCore& core, AdapterHooks* hooks) noexcept {
  if (core.dispatcher() != nullptr)
    static_cast<Dispatcher*>(core.dispatcher())->set_adapter_hooks(hooks);
}

void install(orb::OrbCore& core, const AdapterLimits& limits) {
  auto service = std::make_unique<AdapterService>(core, limits);
  const std::weak_ptr<Dispatcher> dispatcher = service->dispatcher();
  core.set_dispatcher(service->dispatcher().get());
  core.add_service(std::move(service));
  for (const InitialReference& reference : initial_references)
    core.add_initial_reference(reference.name, [dispatcher, find = reference.find] {
      const auto known = dispatcher.lock();
      if (!known) throw CORBA::OBJ_ADAPTER(0, COMPLETED_NO, "the ORB has been destroyed");
      start_server(*known);
      return find(*known);
    });
  add_policy_factories(core);
  core.add_initial_reference("POACurrent", [] {
    return CORBA::object_reference<CORBA::Object>(make_counted<UpcallCurrent>());
  });
  core.add_initial_reference("PeerCurrent", [] {
    return CORBA::object_reference<CORBA::Object>(make_counted<UpcallPeer>());
  });
}

}  // namespace perigee::poa
