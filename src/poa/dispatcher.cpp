// The path of a request: finds and pins the object of its key, passes the gate of the POA manager,
// makes the upcall, and catches all exceptions. In the steady state this path takes two atomic
// operations on the object's slot and no lock, and its steps are inlined.
#include "poa/dispatcher.h"

#include "orb/context/thread_slots.h"
#include "orb/values/system_exceptions.h"
#include "poa/adapter.h"
#include "poa/answer_thrown.h"
#include "poa/default_root.h"
#include "poa/ior_table.h"
#include "poa/manager.h"
#include "poa/minor_codes.h"
#include <perigee/base/log.h>
#include <perigee/base/printable.h>
#include <perigee/base/probe.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace perigee::poa {

using CORBA::COMPLETED_NO;
using State = PortableServer::POAManager::State;
using probe::Point;

namespace {

// How often a request looks for its object again: after it was held, or after the object or its
// adapter was made. Wake-ups of a manager that still holds are not counted: each of them belongs to
// an adapter that was destroyed.
constexpr int rounds_max = 1000;

// Called when the upcall has ended. The owner of a deferred reply has taken the interception.
void end_interception(orb::ServerRequest& request) noexcept {
  const std::unique_ptr<orb::ServerInterception> ended(request.interception());
  request.set_interception(nullptr);
}

}  // namespace

/// The result of a look-up: an active object, else its adapter, else the innermost adapter of the
/// key's path that exists.
struct Dispatcher::Target {
  ObjectPin object;
  AdapterVisit visit = {};  ///< only if there is no object
  OctetSpan id = {};        ///< of the object in the adapter
  /// The adapter's child that the key asks for, if there is none and an activator may make it.
  std::optional<std::string_view> missing_child = {};

  /// An active object that this thread may call now.
  [[nodiscard]] bool is_open() const {
    return object && object->adapter->manager().state() == State::ACTIVE &&
           !object->adapter->policies().main_thread();
  }
};

/// The end of a walk along the adapters that a persistent key names.
struct Dispatcher::PathEnd {
  counted_ptr<Adapter> adapter;             ///< the innermost that exists
  std::optional<std::string_view> missing;  ///< its child that does not exist
};

Dispatcher::Dispatcher(const std::weak_ptr<orb::OrbCore>& core, const AdapterLimits& limits)
    : AdapterHost(core, limits), name_table_(make_counted<NameTable>(core)) {}

void Dispatcher::set_hooks(UpcallHooks* hooks) noexcept {
  hooks_.store(hooks);
  if (hooks != nullptr) orb::upcalls_are_extended.store(true, std::memory_order_relaxed);
}

// Usual requests are for an active object: they are served here.
void Dispatcher::dispatch(orb::ServerRequest& request) noexcept {
  probe::stamp(Point::admitted);
  if (orb::upcalls_are_extended.load(std::memory_order_relaxed)) [[unlikely]]
    return dispatch_extended(request);
  try {
    Target target = find(request.object_key());
    if (target.is_open()) [[likely]]
      return call_here<Intercepted::no>(request, *target.object, &target.object);
    route(request, target);
  } catch (...) {
    answer_exception(request);
  }
}

void Dispatcher::dispatch_extended(orb::ServerRequest& request) noexcept {
  if (!orb::slots_in_use.load(std::memory_order_relaxed)) return dispatch_without_slots(request);
  const orb::SlotScope no_slots(nullptr);  // hides the slots of the thread's earlier work
  dispatch_without_slots(request);
}

void Dispatcher::dispatch_without_slots(orb::ServerRequest& request) noexcept {
  try {
    Target target = find(request.object_key());
    route(request, target);
  } catch (...) {
    answer_exception(request);
  }
}

// The server dispatches the request again later, perhaps as another object. It then begins another
// flow.
void Dispatcher::end_parked(orb::ServerRequest& request) noexcept {
  if (request.interception() == nullptr) return;
  const orb::UpcallScope scope(context_identity());
  request.interception()->parked(request);
  end_interception(request);
}

// Called while the exception is handled. Interceptors may make calls, as the servant may.
void Dispatcher::answer_exception(orb::ServerRequest& request) noexcept {
  if (request.interception() == nullptr) return answer_thrown(request);
  const orb::UpcallScope scope(context_identity());
  answer_thrown(request);
  end_interception(request);
}

void Dispatcher::find_again(const orb::ServerRequest& request, Target& target) noexcept {
  target = Target();
  target = find(request.object_key());
}

// Serves the request, or finds its object again until it can be served.
void Dispatcher::route(orb::ServerRequest& request, Target& target) {
  for (int round = 0; round < rounds_max; find_again(request, target)) {
    switch (pass(request, target)) {
      case Gate::open:
        break;
      case Gate::main_thread:
        target = Target();  // the main thread finds it again
        if (route_to_main_thread(request) == Served::yes) return;
        [[fallthrough]];
      case Gate::look_again:
        ++round;
        continue;
      case Gate::woken:
        continue;
      case Gate::taken:
        return end_parked(request);
    }
    if (target.object) return call(request, *target.object, &target.object);
    if (serve_inactive(request, target) == Served::yes) return;
    ++round;
  }
  throw CORBA::TRANSIENT(minor_discarded, COMPLETED_NO,
                         "object lookup failed: retry limit reached");
}

Dispatcher::Gate Dispatcher::pass(orb::ServerRequest& request, Target& target) {
  Adapter* adapter = target.object ? target.object->adapter.get() : target.visit.adapter();
  if (adapter == nullptr) raise_unknown_key(request.object_key());
  if (!target.object && !target.visit.entered())
    throw CORBA::TRANSIENT(minor_adapter_destroyed, COMPLETED_NO);
  switch (adapter->manager().state()) {
    case State::ACTIVE:
      if (!adapter->policies().main_thread()) return Gate::open;
      return core()->on_main_thread() ? Gate::open : Gate::main_thread;
    case State::DISCARDING:
      throw CORBA::TRANSIENT(minor_discarded, COMPLETED_NO);
    case State::INACTIVE:
      throw CORBA::OBJ_ADAPTER(minor_inactive, COMPLETED_NO);
    case State::HOLDING:
      break;
  }
  return hold(request, target, *adapter);
}

// A request from a connection is kept, and this thread goes on. The thread of a collocated call
// waits. If `begin_wait` says that no other thread would serve meanwhile, the wait is limited,
// since the main thread may wait for a request that only this thread could serve.
Dispatcher::Served Dispatcher::route_to_main_thread(orb::ServerRequest& request) {
  const std::shared_ptr<orb::OrbCore> core = this->core();
  if (std::unique_ptr<orb::KeptRequest> kept(request.keep()); kept) {
    end_parked(request);
    core->dispatch_on_main_thread(std::move(kept));
    return Served::yes;
  }
  using Limit = std::optional<std::chrono::microseconds>;
  orb::Server* const server = core->server();
  const bool others_serve = server == nullptr || server->begin_wait();
  Limit limit = others_serve ? Limit() : core->settings().single_thread_wait;
  if (request.time_limited()) {
    const std::chrono::microseconds left(request.remaining_time());
    limit = std::min(limit.value_or(left), left);
  }
  Served served = Served::look_again;
  std::exception_ptr thrown;
  const auto work = [&] {
    const orb::SlotScope no_slots(nullptr);  // hides the slots of the main thread
    try {
      served = route_on_main_thread(request);
    } catch (...) {
      thrown = std::current_exception();
    }
  };
  const auto end = core->run_on_main_thread(work, limit);
  if (server != nullptr && others_serve) server->end_wait();
  if (thrown) std::rethrow_exception(thrown);
  if (end != orb::MainThread::End::done) raise_not_served(request, end);
  return served;
}

void Dispatcher::raise_not_served(const orb::ServerRequest& request, orb::MainThread::End end) {
  if (end == orb::MainThread::End::shut_down) throw orb::MainThread::refusal();
  if (request.time_limited() && request.remaining_time() == 0)
    throw CORBA::TIMEOUT(orb::minor_deadline, COMPLETED_NO,
                         "the client's time passed while the request waited for the main thread");
  throw CORBA::TRANSIENT(minor_discarded, COMPLETED_NO,
                         "the request waited too long for the main thread, and no other thread is "
                         "left to serve");
}

// Returns `look_again` if the manager is not active any longer: the request then waits, or gets its
// exception, on the thread that has received it.
Dispatcher::Served Dispatcher::route_on_main_thread(orb::ServerRequest& request) {
  Target target = find(request.object_key());
  Adapter* const adapter = target.object ? target.object->adapter.get() : target.visit.adapter();
  const bool is_active = adapter != nullptr && (target.object || target.visit.entered()) &&
                         adapter->manager().state() == State::ACTIVE;
  if (!is_active) return Served::look_again;
  if (!target.object) return serve_inactive(request, target);
  call(request, *target.object, &target.object);
  return Served::yes;
}

// The request does not use the object while it waits: hold_requests(true) waits until no request
// uses an object.
Dispatcher::Gate Dispatcher::hold(orb::ServerRequest& request, Target& target, Adapter& adapter) {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the adapter may end meanwhile
  const counted_ptr<Manager> manager = adapter.shared_manager();
  const std::uint64_t wake_count = manager->wake_count();
  if (adapter.destroyed()) throw CORBA::TRANSIENT(minor_adapter_destroyed, COMPLETED_NO);
  manager->note_held();
  target = Target();
  switch (request.hold()) {
    case orb::ServerRequest::Hold::taken:
      return Gate::taken;
    case orb::ServerRequest::Hold::wait:
      switch (manager->wait_while_holding(wake_count)) {
        case Manager::HoldEnd::changed:
          return Gate::look_again;
        case Manager::HoldEnd::woken:
          return Gate::woken;
        case Manager::HoldEnd::refused:
          break;
      }
      break;
    case orb::ServerRequest::Hold::refused:
      break;
  }
  throw CORBA::TRANSIENT(minor_discarded, COMPLETED_NO,
                         "too many requests are held (-ORBHeldRequestsMax, -ORBHeldSizeMax)");
}

void Dispatcher::call(orb::ServerRequest& request, const ServedObject& object,
                      const ObjectPin* pin) {
  if (hooks_.load(std::memory_order_relaxed) != nullptr)
    return call_intercepted(request, object, pin);
  call_here<Intercepted::no>(request, object, pin);
}

[[gnu::cold, gnu::noinline]] void Dispatcher::call_intercepted(orb::ServerRequest& request,
                                                               const ServedObject& object,
                                                               const ObjectPin* pin) {
  begin_interception(request);
  call_here<Intercepted::yes>(request, object, pin);
}

template <Dispatcher::Intercepted intercepted>
[[gnu::always_inline]] inline void Dispatcher::call_here(orb::ServerRequest& request,
                                                         const ServedObject& object,
                                                         const ObjectPin* pin) {
  request.begin_upcall();
  const orb::UpcallScope scope(context_identity());
  const Upcall upcall(object, request, pin, scope);
  const std::unique_lock<std::recursive_timed_mutex> single_thread = object.adapter->enter_upcall();
  if (request.time_limited() && request.expired()) [[unlikely]]
    throw CORBA::TIMEOUT(orb::minor_deadline, COMPLETED_NO,
                         "the client's time passed while the request waited");
  if constexpr (intercepted == Intercepted::yes) return call_with_hooks(request, object);
  probe::stamp(Point::upcall_prepared);
  object.servant._shared()->_dispatch(request);
}

// Begins once: a request may look for its object several times. The interceptors see a WITH_SERVER
// request before it gets its reply.
void Dispatcher::begin_interception(orb::ServerRequest& request) {
  UpcallHooks* const hooks = hooks_.load(std::memory_order_acquire);
  if (hooks == nullptr || request.interception() != nullptr) return;
  const orb::UpcallScope scope(context_identity());
  auto begun = hooks->begin(request);
  if (!begun) return;
  InterceptedUpcall& interception = *begun;
  request.set_interception(begun.release());
  interception.receive_contexts();
}

// An exception goes to `dispatch`, which replies with it and ends the interception.
void Dispatcher::call_with_hooks(orb::ServerRequest& request, const ServedObject& object) {
  const auto upcall = [&] { object.servant._shared()->_dispatch(request); };
  if (request.interception() == nullptr) return upcall();
  static_cast<InterceptedUpcall*>(request.interception())->serve(object, upcall);
  if (!request.response_expected() && !request.answered()) request.reply(nullptr);
  end_interception(request);
}

// The key is a name of the IORTable, or leads to no object of this ORB.
void Dispatcher::raise_unknown_key(OctetSpan key) const {
  if (auto reference = name_table_->find(key))
    throw PortableServer::ForwardRequest(std::move(reference));
  const std::optional<KeyView> parsed = parse_key(key);
  const bool is_transient = parsed && parsed->kind != KeyKind::persistent;
  throw CORBA::OBJECT_NOT_EXIST(minor_no_adapter, COMPLETED_NO,
                                is_transient && parsed->nonce != nonce()
                                    ? "the transient key " + orb::key_text(key) +
                                          " belongs to another server, or to one that has ended"
                                    : "no POA here has the key " + orb::key_text(key));
}

// Applies the adapter's policies to an object that is not active (CORBA 3.0, 11.2.6).
Dispatcher::Served Dispatcher::serve_inactive(orb::ServerRequest& request, Target& target) {
  begin_interception(request);
  Adapter& adapter = *target.visit.adapter();
  const PolicySet& policies = adapter.policies();
  if (target.missing_child) {
    if (adapter.activate_child(std::string(*target.missing_child))) return Served::look_again;
    throw CORBA::OBJECT_NOT_EXIST(minor_no_adapter, COMPLETED_NO,
                                  "no POA has the name '" + printable(*target.missing_child) +
                                      "' in the key " + orb::key_text(request.object_key()));
  }
  // The look-up of the object came before that of the adapter. The object may have been activated
  // in between.
  const OctetSpan key = request.object_key();
  if (policies.retain() && find_object(parse_key(key), key)) return Served::look_again;
  if (policies.default_servant()) {
    call(request, adapter.default_object(target.id), nullptr);
    return Served::yes;
  }
  if (!policies.servant_manager()) {
    if (adapter.ids_are_keys()) raise_unknown_key(request.object_key());
    throw CORBA::OBJECT_NOT_EXIST(
        minor_no_object, COMPLETED_NO,
        "no object is active with the key " + orb::key_text(request.object_key()));
  }
  if (policies.retain()) {
    adapter.incarnate(target.id);
    return Served::look_again;
  }
  call_located(request, adapter, target.id);
  return Served::yes;
}

// Calls preinvoke, the servant and postinvoke. postinvoke follows however the upcall ends. It does
// not wait for a deferred reply.
void Dispatcher::call_located(orb::ServerRequest& request, Adapter& adapter, OctetSpan id) {
  const orb::UpcallScope scope(context_identity());
  const std::unique_lock<std::recursive_timed_mutex> single_thread = adapter.enter_upcall();
  const auto locator = adapter.locator();
  const std::string operation(request.operation());
  ServedObject object = adapter.served_object(id, nullptr);
  const CORBA::object_reference<PortableServer::POA> poa(object.adapter);
  PortableServer::ServantLocator::Cookie cookie = nullptr;
  object.servant = locator->preinvoke(object.id, poa, operation, cookie);
  if (!object.servant) throw CORBA::OBJ_ADAPTER(minor_null_servant, COMPLETED_NO);
  try {
    call(request, object, nullptr);
  } catch (...) {
    const std::exception_ptr thrown = std::current_exception();
    locator->postinvoke(object.id, poa, operation, cookie, object.servant);
    std::rethrow_exception(thrown);
  }
  locator->postinvoke(object.id, poa, operation, cookie, object.servant);
}

[[gnu::always_inline]] inline Dispatcher::Target Dispatcher::find(OctetSpan octets) noexcept {
  const std::optional<KeyView> key = parse_key(octets);
  probe::stamp(Point::key_parsed);
  Target target{find_object(key, octets)};
  if (!target.object) find_adapter(key, octets, target);
  probe::stamp(Point::adapter_found);
  return target;
}

// Uses the slot in the key if there is one, else looks up the whole key.
Dispatcher::ObjectPin Dispatcher::find_object(const std::optional<KeyView>& key,
                                              OctetSpan octets) noexcept {
  if (key && key->kind == KeyKind::transient_slot) {
    if (key->nonce != nonce()) return {};
    ObjectPin pin = objects().pin(key->object);
    probe::stamp(Point::servant_found);
    if (pin && pin->adapter_ref == key->adapter && pin->has_slot_id) return pin;
  }
  // The object may also have been deactivated, and activated again with its old id.
  const std::optional<SlotRef> slot = key_index().find(octets);
  return slot ? objects().pin(*slot) : ObjectPin();
}

void Dispatcher::find_adapter(const std::optional<KeyView>& parsed, OctetSpan octets,
                              Target& target) noexcept {
  if (!parsed) {
    target.id = octets;
    target.visit = AdapterVisit(existing_named_root());
    return;
  }
  const KeyView& key = *parsed;
  target.id = key.id;
  if (key.kind == KeyKind::persistent) {
    PathEnd end = walk(key.path);
    // A path does not lead to a transient adapter, since keys of its objects contain no path.
    if (!end.adapter ||
        (end.missing ? !end.adapter->has_activator() : !end.adapter->policies().persistent()))
      return;
    target.missing_child = end.missing;
    target.visit = AdapterVisit(std::move(end.adapter));
    return;
  }
  if (key.nonce != nonce()) return;
  const AdapterPin pin = adapters().pin(key.adapter);
  if (!pin) return;
  // An id has exactly one key. A request with another, forged key for the id would never find the
  // object.
  const bool is_slot = pin->adapter->policies().system_id() && key.id.size() == slot_id_size;
  if (is_slot != (key.kind == KeyKind::transient_slot)) return;
  target.visit = AdapterVisit(pin->adapter);
}

Dispatcher::PathEnd Dispatcher::walk(OctetSpan path) const noexcept {
  PathEnd end{existing_root(), {}};
  if (!end.adapter) return end;
  PathNames names(path);
  while (const auto name = names.next()) {
    counted_ptr<Adapter> child = end.adapter->child(*name);
    if (!child) {
      end.missing = name;
      return end;
    }
    end.adapter = std::move(child);
  }
  return end;
}

orb::Location Dispatcher::locate(OctetSpan object_key) noexcept {
  using Status = orb::Location::Status;
  const Target target = find(object_key);
  if (target.object) return {Status::here, nullptr};
  // A locate request makes no servants, so it cannot find out whether the object exists. The answer
  // is `here` (interop fact 53 of docs/interop.md).
  const Adapter* adapter = target.visit.adapter();
  const bool served =
      adapter != nullptr && (target.missing_child || adapter->policies().default_servant() ||
                             adapter->policies().servant_manager());
  if (served) return {Status::here, nullptr};
  if (adapter != nullptr && !adapter->ids_are_keys()) return {Status::unknown, nullptr};
  try {
    auto reference = name_table_->find(object_key);
    const Status status = reference ? Status::forward : Status::unknown;
    return {status, std::move(reference)};
  } catch (...) {  // the request will get the exception
    return {Status::here, nullptr};
  }
}

const void* Dispatcher::gate_of(OctetSpan object_key) noexcept {
  const Target target = find(object_key);
  const Adapter* adapter = target.object ? target.object->adapter.get() : target.visit.adapter();
  return adapter == nullptr ? nullptr : &adapter->manager();
}

// A child that an activator would make has no policies yet.
bool Dispatcher::is_bidirectional(OctetSpan object_key) noexcept {
  const Target target = find(object_key);
  if (target.missing_child) return false;
  const Adapter* adapter = target.object ? target.object->adapter.get() : target.visit.adapter();
  return adapter != nullptr && adapter->policies().bidirectional;
}

bool Dispatcher::is_local_key(OctetSpan object_key) const noexcept {
  const std::optional<KeyView> key = parse_key(object_key);
  if (key && key->kind != KeyKind::persistent) return key->nonce == nonce();
  if (key_index().find(object_key)) return true;
  if (!key) return existing_named_root() != nullptr;
  const PathEnd end = walk(key->path);
  return end.adapter && (!end.missing || end.adapter->has_activator());
}

counted_ptr<Adapter> Dispatcher::existing_root() const {
  const std::lock_guard lock(root_mutex_);
  return root_.lock();
}

counted_ptr<Adapter> Dispatcher::existing_named_root() const noexcept {
  const std::lock_guard lock(root_mutex_);
  auto root = named_root_.lock();
  return root && !root->destroyed() ? root : nullptr;
}

// Calls IOR interceptors, so root_mutex_ must not be held. Meanwhile, this thread cannot get the
// Root POA, which has no references yet.
void Dispatcher::add_root_components(PolicySet& set, const Manager& manager) {
  static thread_local bool is_in_interceptor = false;
  const auto adapter_hooks = hooks();
  if (adapter_hooks == nullptr) return;
  if (is_in_interceptor)
    throw CORBA::BAD_INV_ORDER(0, COMPLETED_NO,
                               "an IOR interceptor that is called for the Root POA asks for it");
  struct Inside {
    Inside() noexcept { is_in_interceptor = true; }
    ~Inside() { is_in_interceptor = false; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
  } const inside;
  set.components = adapter_hooks->make_components({}, manager);
}

// Threads that make the Root POA at the same time share the manager. The application may have made
// a manager with the id.
counted_ptr<Manager> Dispatcher::coming_root_manager() {
  const std::lock_guard lock(root_mutex_);
  if (auto coming = coming_manager_.lock()) return coming;
  auto manager = managers().make(shared_from_this(), "RootPOAManager");
  if (!manager) manager = managers().make(shared_from_this());
  coming_manager_ = manager;
  return manager;
}

counted_ptr<Adapter> Dispatcher::make_root(counted_ptr<Manager> manager, PolicySet policies) {
  const std::shared_ptr<AdapterHost> host = shared_from_this();
  auto root =
      Adapter::make({host, std::move(manager), "RootPOA", std::move(policies), false}, nullptr);
  offer_default_root(root);
  return root;
}

// A persistent adapter with ids of the user. It has no children, since their keys would be the keys
// of the Root POA's children.
counted_ptr<Adapter> Dispatcher::make_named_root() {
  PolicySet policies;
  policies.lifespan = PortableServer::LifespanPolicyValue::PERSISTENT;
  policies.assignment = PortableServer::IdAssignmentPolicyValue::USER_ID;
  const std::shared_ptr<AdapterHost> host = shared_from_this();
  auto manager = managers().make(host);
  return Adapter::make({host, std::move(manager), "INSPOA", policies, true}, nullptr);
}

counted_ptr<Adapter> Dispatcher::named_root() {
  const std::lock_guard lock(root_mutex_);
  if (auto root = named_root_.lock(); root && !root->destroyed()) return root;
  const auto root = make_named_root();
  named_root_ = root;
  return root;
}

counted_ptr<Adapter> Dispatcher::root() {
  if (auto root = existing_root(); root && !root->destroyed()) return root;
  counted_ptr<Manager> manager = coming_root_manager();
  PolicySet policies = root_policy_set();
  add_root_components(policies, *manager);
  const std::lock_guard lock(root_mutex_);
  if (auto root = root_.lock(); root && !root->destroyed()) return root;
  const auto root = make_root(std::move(manager), std::move(policies));
  root_ = root;
  coming_manager_ = {};
  return root;
}

}  // namespace perigee::poa
