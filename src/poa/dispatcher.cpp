// The way of a request: key → object, pinned → gate of its POA manager → upcall → everything
// caught. In the steady state: two atomic operations on the object's slot, no lock.
#include "poa/dispatcher.h"

#include "poa/adapter.h"
#include "poa/manager.h"
#include "poa/minor_codes.h"
#include <perigee/base/log.h>

#include <new>
#include <random>

namespace perigee::poa {

using CORBA::COMPLETED_MAYBE;
using CORBA::COMPLETED_NO;
using State = PortableServer::POAManager::State;

namespace {

std::uint64_t random_nonce() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}

bool equal(OctetSpan octets, const PortableServer::ObjectId& id) noexcept {
  const auto other = std::as_bytes(std::span(id));
  return std::ranges::equal(octets, other);
}

// ForwardRequest's target may be nil or local: the client then gets an exception.
void answer_forward(orb::ServerRequest& request,
                    const PortableServer::ForwardRequest& forward) noexcept {
  try {
    if (!forward.forward_reference())
      throw CORBA::INV_OBJREF(0, COMPLETED_NO, "nil ForwardRequest");
    request.reply_forward(*forward.forward_reference());
  } catch (const CORBA::Exception& exception) {
    request.reply_exception(exception);
  } catch (...) {
    request.reply_exception(CORBA::UNKNOWN(0, COMPLETED_NO));
  }
}

// An exception after the answer has nobody to go to.
void answer_exception(orb::ServerRequest& request, const CORBA::Exception& exception) noexcept {
  if (!request.answered()) return request.reply_exception(exception);
  log::write(log::Level::warning, "poa", exception.what());
}

}  // namespace

Dispatcher::Dispatcher(std::weak_ptr<orb::OrbCore> core, AdapterLimits limits)
    : core_(std::move(core)),
      core_identity_(core_.lock().get()),
      limits_(limits),
      nonce_(random_nonce()),
      objects_(limits.objects_max),
      adapters_(limits.adapters_max) {}

void Dispatcher::dispatch(orb::ServerRequest& request) noexcept {
  try {
    route(request);
  } catch (const PortableServer::ForwardRequest& forward) {
    answer_forward(request, forward);
  } catch (const CORBA::Exception& exception) {
    answer_exception(request, exception);
  } catch (const std::bad_alloc&) {
    answer_exception(request, CORBA::NO_MEMORY(0, COMPLETED_MAYBE));
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "poa", exception.what());
    answer_exception(request, CORBA::UNKNOWN(0, COMPLETED_MAYBE));
  } catch (...) {
    answer_exception(request, CORBA::UNKNOWN(0, COMPLETED_MAYBE));
  }
}

void Dispatcher::route(orb::ServerRequest& request) {
  for (;;) {
    Target target = find(request.object_key());
    switch (pass(request, target)) {
      case Gate::open:
        break;
      case Gate::look_again:
        continue;
      case Gate::taken:
        return;
    }
    if (!target.object) throw CORBA::OBJECT_NOT_EXIST(minor_no_object, COMPLETED_NO);
    return call(request, *target.object);
  }
}

Dispatcher::Gate Dispatcher::pass(orb::ServerRequest& request, Target& target) {
  Adapter* adapter = target.object ? target.object->adapter.get() : target.adapter.get();
  if (adapter == nullptr) throw CORBA::OBJECT_NOT_EXIST(minor_no_adapter, COMPLETED_NO);
  switch (adapter->manager().state()) {
    case State::ACTIVE:
      return Gate::open;
    case State::DISCARDING:
      throw CORBA::TRANSIENT(minor_discarded, COMPLETED_NO);
    case State::INACTIVE:
      throw CORBA::OBJ_ADAPTER(minor_inactive, COMPLETED_NO);
    case State::HOLDING:
      break;
  }
  // The object is not kept while the request waits: hold_requests(true) waits for its users.
  const std::shared_ptr<Manager> manager = adapter->shared_manager();
  target = Target();
  switch (request.hold()) {
    case orb::ServerRequest::Hold::taken:
      return Gate::taken;
    case orb::ServerRequest::Hold::wait:
      if (manager->wait_while_holding()) return Gate::look_again;
      break;
    case orb::ServerRequest::Hold::refused:
      break;
  }
  throw CORBA::TRANSIENT(minor_discarded, COMPLETED_NO, "too many requests are held");
}

void Dispatcher::call(orb::ServerRequest& request, ActiveObject& object) {
  request.begin_upcall();
  const orb::UpcallScope scope(*core_identity_);
  const Upcall upcall(object, request);
  const std::unique_lock<std::recursive_mutex> single_thread = object.adapter->enter_upcall();
  if (const UpcallHooks* hooks = hooks_.load(std::memory_order_acquire)) [[unlikely]]
    return call_with_hooks(request, object, *hooks);
  object.servant._shared()->_dispatch(request);
}

void Dispatcher::call_with_hooks(orb::ServerRequest& request, ActiveObject& object,
                                 const UpcallHooks& hooks) {
  if (hooks.before != nullptr) hooks.before(hooks.context, request);
  try {
    object.servant._shared()->_dispatch(request);
  } catch (...) {
    if (hooks.after != nullptr) hooks.after(hooks.context, request);
    throw;
  }
  if (hooks.after != nullptr) hooks.after(hooks.context, request);
}

Dispatcher::Target Dispatcher::find(OctetSpan octets) noexcept {
  const std::optional<KeyView> key = parse_key(octets);
  if (!key) return {};
  Target target{find_object(*key, octets), nullptr};
  if (!target.object) target.adapter = find_adapter(*key);
  return target;
}

Dispatcher::ObjectPin Dispatcher::find_object(const KeyView& key, OctetSpan octets) noexcept {
  if (key.kind != KeyKind::persistent) return find_transient(key);
  const std::optional<SlotRef> slot = persistent_keys_.find(octets);
  return slot ? objects_.pin(*slot) : ObjectPin();
}

Dispatcher::ObjectPin Dispatcher::find_transient(const KeyView& key) noexcept {
  if (key.nonce != nonce_) return {};
  ObjectPin pin = objects_.pin(key.object);
  const auto is_the_one = [&key](const ObjectPin& found) {
    if (!found || found->adapter_ref != key.adapter) return false;
    return key.kind == KeyKind::transient_slot && found->has_slot_id ? true
                                                                     : equal(key.id, found->id);
  };
  if (is_the_one(pin)) return pin;
  // The slot was a hint, or the object was deactivated and activated again with its old id.
  const AdapterPin adapter = adapters_.pin(key.adapter);
  if (!adapter) return {};
  const std::optional<SlotRef> slot = adapter->adapter->find(key.id);
  if (!slot) return {};
  pin = objects_.pin(*slot);
  return is_the_one(pin) ? std::move(pin) : ObjectPin();
}

std::shared_ptr<Adapter> Dispatcher::find_adapter(const KeyView& key) noexcept {
  if (key.kind == KeyKind::persistent) return find_by_path(key.path);
  if (key.nonce != nonce_) return nullptr;
  const AdapterPin adapter = adapters_.pin(key.adapter);
  return adapter ? adapter->adapter : nullptr;
}

std::shared_ptr<Adapter> Dispatcher::find_by_path(OctetSpan path) const noexcept {
  std::shared_ptr<Adapter> adapter = existing_root();
  for (const std::string_view name : decode_path(path)) {
    if (!adapter) return nullptr;
    adapter = adapter->child(name);
  }
  // Only adapters whose keys have this form: the way to a transient one is not through its path.
  return adapter && adapter->policies().persistent() ? adapter : nullptr;
}

orb::Location Dispatcher::locate(OctetSpan object_key) noexcept {
  const Target target = find(object_key);
  return {target.object ? orb::Location::Status::here : orb::Location::Status::unknown, nullptr};
}

bool Dispatcher::is_local_key(OctetSpan object_key) const noexcept {
  const std::optional<KeyView> key = parse_key(object_key);
  if (!key) return false;
  if (key->kind != KeyKind::persistent) return key->nonce == nonce_;
  return persistent_keys_.find(object_key).has_value() || find_by_path(key->path) != nullptr;
}

std::shared_ptr<orb::OrbCore> Dispatcher::core() const {
  if (auto core = core_.lock()) return core;
  throw CORBA::OBJECT_NOT_EXIST(minor_no_adapter, COMPLETED_NO, "the ORB has been destroyed");
}

bool Dispatcher::may_wait() const noexcept { return !orb::UpcallScope::inside(*core_identity_); }

void Dispatcher::check_may_wait() const {
  if (!may_wait())
    throw CORBA::BAD_INV_ORDER(minor_would_deadlock, COMPLETED_NO,
                               "waiting for completion from within an upcall");
}

void Dispatcher::resume_held_requests() noexcept {
  const std::shared_ptr<orb::OrbCore> core = core_.lock();
  if (core && core->server() != nullptr) core->server()->resume_held();
}

std::string Dispatcher::next_manager_id() {
  const std::uint32_t number = manager_count_.fetch_add(1);
  return number == 0 ? "RootPOAManager" : "POAManager" + std::to_string(number);
}

std::shared_ptr<Adapter> Dispatcher::existing_root() const {
  const std::lock_guard lock(root_mutex_);
  return root_.lock();
}

std::shared_ptr<Adapter> Dispatcher::root() {
  const std::lock_guard lock(root_mutex_);
  if (auto root = root_.lock(); root && !root->destroyed()) return root;
  const auto root = Adapter::make_root(shared_from_this());
  root_ = root;
  return root;
}

}  // namespace perigee::poa
