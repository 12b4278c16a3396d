// Servants that are made or chosen when a request needs one: default servants, servant activators
// and locators. Also adapters that an activator makes. Application code is called without mutex_.
#include "orb/serving/log_operation.h"
#include "poa/adapter.h"
#include "poa/adapter_host.h"
#include "poa/minor_codes.h"
#include "poa/upcall.h"

#include <algorithm>

namespace perigee::poa {

using CORBA::COMPLETED_NO;
using PortableServer::AdapterActivator;
using PortableServer::ObjectId;
using PortableServer::ServantActivator;
using PortableServer::ServantLocator;
using PortableServer::ServantManager;

// Holds the turn at the servant activator: only one thread at a time calls it.
class Adapter::ActivatorTurn {
 public:
  ActivatorTurn(Adapter& adapter, Lock& lock) : adapter_(adapter) {
    adapter_.activation_.begin_turn(lock);
  }
  ~ActivatorTurn() {
    const std::lock_guard lock(adapter_.mutex_);
    adapter_.activation_.end_turn();
  }
  ActivatorTurn(const ActivatorTurn&) = delete;
  ActivatorTurn& operator=(const ActivatorTurn&) = delete;

 private:
  Adapter& adapter_;
};

CORBA::object_reference<AdapterActivator> Adapter::the_activator() {
  const Lock lock = lock_alive();
  return adapter_activator_;
}

void Adapter::the_activator(CORBA::object_reference<AdapterActivator> activator) {
  const Lock lock = lock_alive();
  std::swap(adapter_activator_, activator);  // the old one is released after unlocking
}

CORBA::object_reference<ServantManager> Adapter::get_servant_manager() {
  const Lock lock = lock_alive();
  if (!parts_.policies.servant_manager()) throw WrongPolicy();
  return servant_manager_;
}

void Adapter::set_servant_manager(CORBA::object_reference<ServantManager> manager) {
  const Lock lock = lock_alive();
  if (!parts_.policies.servant_manager()) throw WrongPolicy();
  if (servant_manager_)
    throw CORBA::BAD_INV_ORDER(minor_manager_set, COMPLETED_NO,
                               "the POA already has a servant manager");
  auto activator = IDL::traits<ServantActivator>::narrow(manager);
  auto locator = IDL::traits<ServantLocator>::narrow(manager);
  if (parts_.policies.retain() ? !activator : !locator)
    throw CORBA::OBJ_ADAPTER(minor_no_servant_manager, COMPLETED_NO,
                             parts_.policies.retain() ? "RETAIN needs a ServantActivator"
                                                      : "NON_RETAIN needs a ServantLocator");
  servant_manager_ = manager;
  if (parts_.policies.retain())
    servant_activator_ = activator;
  else
    servant_locator_ = locator;
}

PortableServer::POA::ServantRef Adapter::get_servant() {
  const Lock lock = lock_alive();
  if (!parts_.policies.default_servant()) throw WrongPolicy();
  if (!default_servant_) throw NoServant();
  return default_servant_;
}

void Adapter::set_servant(const ServantRef& servant) {
  ServantRef old = servant;  // released after unlocking
  const Lock lock = lock_alive();
  if (!parts_.policies.default_servant()) throw WrongPolicy();
  check_not_nil(servant);
  std::swap(default_servant_, old);
}

ServedObject Adapter::served_object(OctetSpan id, ServantRef servant) const {
  ServedObject object;
  object.servant = std::move(servant);
  object.adapter = self();
  object.adapter_ref = ref_;
  object.id = to_id(id);
  return object;
}

ServedObject Adapter::default_object(OctetSpan id) const {
  ServantRef servant;
  {
    const std::lock_guard lock(mutex_);
    servant = default_servant_;
  }
  if (!servant) throw CORBA::OBJ_ADAPTER(minor_no_default_servant, COMPLETED_NO);
  return served_object(id, std::move(servant));
}

CORBA::object_reference<ServantLocator> Adapter::locator() const {
  const std::lock_guard lock(mutex_);
  if (!servant_locator_) throw CORBA::OBJ_ADAPTER(minor_no_servant_manager, COMPLETED_NO);
  return servant_locator_;
}

// Expects mutex_ to be held.
bool Adapter::etherealizes() const noexcept { return static_cast<bool>(servant_activator_); }

// Whether the end of the transition depends on the calling thread, or may come to depend on it. A
// thread that has the turn at the activator, or the lock of a single-thread adapter, waits for no
// transition, because the transition may need the turn or the lock. A thread in an upcall on an
// object in transition does not wait for the upcalls of another object. Those upcalls may wait for
// the upcall of this thread. Expects mutex_ to be held.
bool Adapter::would_wait_for_itself(const std::string& id) const noexcept {
  if (activation_.needs_this_thread(id)) return true;
  if (parts_.policies.single_thread() && links_.makes_child()) return true;
  const bool waits_for_upcalls = activation_.state_of(id) == State::leaving;
  for (const Upcall* upcall = Upcall::innermost(); upcall != nullptr; upcall = upcall->outer()) {
    const ServedObject& object = upcall->object();
    if (object.adapter.get() != this) continue;
    if (parts_.policies.single_thread()) return true;
    if (waits_for_upcalls && activation_.state_of(id_view(object.id))) return true;
  }
  return false;
}

void Adapter::wait_for_transition(Lock& lock, const std::string& id, Waits waits) {
  for (;;) {
    if (destroyed_)
      throw CORBA::TRANSIENT(minor_adapter_destroyed, COMPLETED_NO, "the POA was destroyed");
    if (!activation_.state_of(id)) return;
    if (would_wait_for_itself(id))
      throw CORBA::BAD_INV_ORDER(minor_would_deadlock, COMPLETED_NO,
                                 "the object is being incarnated or deactivated, and waiting "
                                 "might never end");
    // The waiting thread may be the thread that has to send the deferred reply.
    if (waits == Waits::request && activation_.has_deferred(id))
      throw CORBA::TRANSIENT(minor_discarded, COMPLETED_NO,
                             "the object is being deactivated and waits for its deferred replies");
    activation_.wait_for_change(lock);
  }
}

std::string Adapter::begin_deferred(const ServedObject& object) {
  std::string id = id_text(object.id);
  const Lock lock(mutex_);
  activation_.begin_deferred(id);
  return id;
}

void Adapter::end_deferred(const std::string& id) noexcept {
  const Lock lock(mutex_);
  activation_.end_deferred(id);
}

std::shared_ptr<orb::OrbCore> Adapter::core() const noexcept {
  return parts_.host->core_if_alive();
}

void Adapter::incarnate(OctetSpan octets) {
  const ObjectId id = to_id(octets);
  const std::string text = id_text(id);
  {
    Lock lock(mutex_);
    // The request is nested in the transition that it would wait for. It can be served when the
    // transition has ended.
    if (activation_.state_of(text) && would_wait_for_itself(text))
      throw CORBA::TRANSIENT(
          minor_discarded, COMPLETED_NO,
          "the object is being incarnated or deactivated, and waiting might never end");
    wait_for_transition(lock, text, Waits::request);
    if (objects_.contains(text)) return;  // another request had it incarnated
    if (!servant_activator_) throw CORBA::OBJ_ADAPTER(minor_no_servant_manager, COMPLETED_NO);
    activation_.begin_incarnating(text);
  }
  try {
    keep_incarnated(id, call_incarnate(id));
  } catch (...) {
    const std::lock_guard lock(mutex_);
    activation_.end(text);
    throw;
  }
}

PortableServer::POA::ServantRef Adapter::call_incarnate(const ObjectId& id) {
  const orb::UpcallScope scope = parts_.host->enter_upcall();
  const auto single_thread = enter_upcall();
  Lock lock(mutex_);
  const auto activator = servant_activator_;
  const ActivatorTurn turn(*this, lock);
  lock.unlock();
  ServantRef servant =
      activator->incarnate(id, CORBA::object_reference<PortableServer::POA>(self()));
  if (!servant)
    throw CORBA::OBJ_ADAPTER(minor_null_servant, COMPLETED_NO, "incarnate gave no servant");
  return servant;
}

// If the adapter was destroyed meanwhile, the object ends before it has served a request.
void Adapter::keep_incarnated(const ObjectId& id, const ServantRef& servant) {
  const std::string text = id_text(id);
  Lock lock(mutex_);
  if (destroyed_) {
    lock.unlock();
    call_etherealize(served_object(std::as_bytes(std::span(id)), servant), Reason::cleanup, false);
    throw CORBA::TRANSIENT(minor_adapter_destroyed, COMPLETED_NO, "the POA was destroyed");
  }
  if (parts_.policies.unique_id() && objects_.serves(servant.get()))
    throw CORBA::OBJ_ADAPTER(minor_incarnate_policy, COMPLETED_NO,
                             "incarnate gave a servant that is active in a UNIQUE_ID adapter");
  (void)activate(lock, id, servant);
  activation_.end(text);
}

void Adapter::object_ended(ServedObject& object) noexcept {
  const std::string_view id = id_view(object.id);
  const PortableServer::Servant* const servant = object.servant.get();
  Lock lock(mutex_);
  const auto leaving = activation_.begin_etherealizing(id, servant);
  const bool remaining = leaving && (leaving->servant_leaves_again || objects_.serves(servant));
  lock.unlock();
  if (leaving) call_etherealize(object, leaving->reason, remaining);
  object.servant.reset();
  lock.lock();
  if (leaving) activation_.end(id);
  --uses_;
  released(std::move(lock));
}

void Adapter::call_etherealize(const ServedObject& object, Reason reason, bool remaining) noexcept {
  try {
    const orb::UpcallScope scope = parts_.host->enter_upcall();
    const auto single_thread = enter_upcall();
    Lock lock(mutex_);
    const auto activator = servant_activator_;
    if (!activator) return;
    const ActivatorTurn turn(*this, lock);
    lock.unlock();
    activator->etherealize(object.id, CORBA::object_reference<PortableServer::POA>(self()),
                           object.servant, reason == Reason::cleanup, remaining);
  } catch (const std::exception& exception) {
    orb::log_operation(log::Level::warning, "etherealize", {exception.what()});
  } catch (...) {
    orb::log_operation(log::Level::warning, "etherealize", {"an exception of an unknown type"});
  }
}

void Adapter::deactivate_objects() noexcept { remove_objects(Etherealize::yes); }

counted_ptr<Adapter> Adapter::child(std::string_view name) const noexcept {
  const std::lock_guard lock(mutex_);
  return links_.is_being_made_elsewhere(name) ? nullptr : links_.find(name);
}

bool Adapter::has_activator() const noexcept {
  const std::lock_guard lock(mutex_);
  return static_cast<bool>(adapter_activator_);
}

bool Adapter::activate_child(const std::string& name) {
  // The lock of a single-thread adapter is taken first. An upcall that holds this lock may look for
  // the child, and must not find a child that is not complete.
  const auto single_thread = enter_upcall();
  CORBA::object_reference<AdapterActivator> activator;
  {
    Lock lock = lock_alive();
    links_.wait_until_made(lock, name);
    if (links_.contains(name)) return true;
    if (links_.is_being_made(name))  // by this thread: the request is nested in the activator
      throw CORBA::TRANSIENT(minor_discarded, COMPLETED_NO,
                             "the adapter activator is still creating the POA");
    if (!adapter_activator_) return false;
    activator = adapter_activator_;
    links_.begin_making(name);
  }
  struct Done {
    Adapter& parent;
    const std::string& name;
    ~Done() {
      const std::lock_guard lock(parent.mutex_);
      parent.links_.end_making(name);
    }
  } const done{*this, name};
  return call_unknown_adapter(*activator, name) && child(name) != nullptr;
}

// CORBA 3.0, 11.3.3: system exceptions of the activator become OBJ_ADAPTER.
bool Adapter::call_unknown_adapter(AdapterActivator& activator, const std::string& name) {
  const orb::UpcallScope scope = parts_.host->enter_upcall();
  try {
    return activator.unknown_adapter(CORBA::object_reference<PortableServer::POA>(self()), name);
  } catch (const CORBA::SystemException& exception) {
    throw CORBA::OBJ_ADAPTER(minor_adapter_activator, COMPLETED_NO,
                             std::string("unknown_adapter: ") + exception.what());
  }
}

}  // namespace perigee::poa
