// Servants that are made or chosen when a request needs one: default servants, servant activators
// and locators; and adapters that are made so. An application's code is called without mutex_.
//
// An id is free, active (ids_) or in transition (transitions_): whoever begins a transition ends
// it, and everybody else who needs the id waits for that. So an object is incarnated once, and not
// again before it is etherealized.
#include "poa/adapter.h"
#include "poa/dispatcher.h"
#include "poa/minor_codes.h"
#include <perigee/base/log.h>

#include <algorithm>

namespace perigee::poa {

using CORBA::COMPLETED_NO;
using PortableServer::AdapterActivator;
using PortableServer::ObjectId;
using PortableServer::ServantActivator;
using PortableServer::ServantLocator;
using PortableServer::ServantManager;

// CORBA 3.0, 11.3.5: a servant activator is called by one thread at a time; by that thread also
// from within.
class Adapter::ActivatorTurn {
 public:
  ActivatorTurn(Adapter& adapter, Lock& lock) : adapter_(adapter) {
    const auto thread = std::this_thread::get_id();
    adapter_.transitions_changed_.wait(lock, [this, thread] {
      return adapter_.turn_depth_ == 0 || adapter_.turn_thread_ == thread;
    });
    adapter_.turn_thread_ = thread;
    ++adapter_.turn_depth_;
  }
  ~ActivatorTurn() {
    const std::lock_guard lock(adapter_.mutex_);
    --adapter_.turn_depth_;
    adapter_.transitions_changed_.notify_all();
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
  std::swap(adapter_activator_, activator);  // the old one is let go after the lock
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
    throw CORBA::BAD_INV_ORDER(minor_manager_set, COMPLETED_NO, "there is a servant manager");
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
  ServantRef old = servant;  // let go after the lock
  const Lock lock = lock_alive();
  if (!parts_.policies.default_servant()) throw WrongPolicy();
  if (!servant) throw CORBA::BAD_PARAM(0, COMPLETED_NO, "nil servant");
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

// Expects mutex_ to be held. `object_ended` ends it.
void Adapter::begin_leaving(const IdText& id, const PortableServer::Servant* servant,
                            bool cleanup) {
  transitions_.emplace(id, Transition{{}, servant, cleanup});
  ++leaving_servants_[servant];
}

// Whether the end of the transition depends on the calling thread, or may come to: who has the turn
// at the activator, or the lock of a single-thread adapter, waits for no transition, since that may
// need these; nor does a thread in an upcall on an object that leaves wait for another object's
// upcalls, since they may wait for its object. Expects mutex_ to be held.
bool Adapter::would_wait_for_itself(const Transition& transition) const noexcept {
  const auto thread = std::this_thread::get_id();
  if (transition.thread == thread || (turn_depth_ != 0 && turn_thread_ == thread)) return true;
  if (parts_.policies.single_thread() && makes_child()) return true;
  const bool waits_for_upcalls = transition.thread == std::thread::id();
  for (const Upcall* upcall = Upcall::innermost(); upcall != nullptr; upcall = upcall->outer()) {
    const ServedObject& object = upcall->object();
    if (object.adapter.get() != this) continue;
    if (parts_.policies.single_thread()) return true;
    if (waits_for_upcalls && transitions_.contains(text_of(std::as_bytes(std::span(object.id)))))
      return true;
  }
  return false;
}

// Whether the calling thread is in unknown_adapter. Expects mutex_ to be held.
bool Adapter::makes_child() const noexcept {
  return std::ranges::any_of(children_being_made_, [](const auto& making) {
    return making.second == std::this_thread::get_id();
  });
}

void Adapter::wait_for_transition(Lock& lock, const IdText& id, Waits waits) {
  for (;;) {
    if (destroyed_)
      throw CORBA::TRANSIENT(minor_adapter_destroyed, COMPLETED_NO, "the POA was destroyed");
    const auto found = transitions_.find(id);
    if (found == transitions_.end()) return;
    if (would_wait_for_itself(found->second))
      throw CORBA::BAD_INV_ORDER(minor_would_deadlock, COMPLETED_NO,
                                 "waiting for the object's transition might never end");
    // The answer may be given by the thread that would wait.
    if (waits == Waits::request && owing_.contains(id))
      throw CORBA::TRANSIENT(minor_discarded, COMPLETED_NO, "the object owes answers, and leaves");
    transitions_changed_.wait(lock);
  }
}

// Expects mutex_ to be held.
void Adapter::end_transition(const IdText& id) noexcept {
  transitions_.erase(id);
  transitions_changed_.notify_all();
}

std::string Adapter::owe(const ServedObject& object) {
  IdText id = text_of(std::as_bytes(std::span(object.id)));
  const Lock lock(mutex_);
  ++owing_[id];
  transitions_changed_.notify_all();  // who waits for it to leave
  return id;
}

void Adapter::owe_no_more(const std::string& id) noexcept {
  const Lock lock(mutex_);
  const auto found = owing_.find(id);
  if (--found->second == 0) owing_.erase(found);
}

std::shared_ptr<orb::OrbCore> Adapter::core() const noexcept {
  return parts_.dispatcher->core_if_alive();
}

void Adapter::incarnate(OctetSpan octets) {
  const ObjectId id = to_id(octets);
  const IdText text = text_of(octets);
  {
    Lock lock(mutex_);
    // A request that is nested in what it might have to wait for: later it can be served.
    const auto transition = transitions_.find(text);
    if (transition != transitions_.end() && would_wait_for_itself(transition->second))
      throw CORBA::TRANSIENT(minor_discarded, COMPLETED_NO, "the object is in transition");
    wait_for_transition(lock, text, Waits::request);
    if (ids_.contains(text)) return;  // another request had it incarnated
    if (!servant_activator_) throw CORBA::OBJ_ADAPTER(minor_no_servant_manager, COMPLETED_NO);
    transitions_.emplace(text, Transition{std::this_thread::get_id(), nullptr, false});
  }
  try {
    keep_incarnated(id, call_incarnate(id));
  } catch (...) {
    const std::lock_guard lock(mutex_);
    end_transition(text);
    throw;
  }
}

PortableServer::POA::ServantRef Adapter::call_incarnate(const ObjectId& id) {
  const orb::UpcallScope scope = parts_.dispatcher->enter_upcall();
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
  const IdText text = text_of(std::as_bytes(std::span(id)));
  Lock lock(mutex_);
  if (destroyed_) {
    lock.unlock();
    call_etherealize(served_object(std::as_bytes(std::span(id)), servant), true, false);
    throw CORBA::TRANSIENT(minor_adapter_destroyed, COMPLETED_NO, "the POA was destroyed");
  }
  if (parts_.policies.unique_id() && servants_.contains(servant.get()))
    throw CORBA::OBJ_ADAPTER(minor_incarnate_policy, COMPLETED_NO,
                             "incarnate gave a servant that is active in a UNIQUE_ID adapter");
  (void)activate(lock, id, servant);
  end_transition(text);
}

void Adapter::object_ended(ServedObject& object) noexcept {
  const IdText text = text_of(std::as_bytes(std::span(object.id)));
  const PortableServer::Servant* const servant = object.servant.get();
  Lock lock(mutex_);
  const auto leaving = transitions_.find(text);
  const bool etherealize = leaving != transitions_.end() && leaving->second.servant == servant;
  if (etherealize) {
    leaving->second.thread = std::this_thread::get_id();
    const bool cleanup = leaving->second.cleanup;
    const bool others_leave = --leaving_servants_[servant] > 0;
    if (!others_leave) leaving_servants_.erase(servant);
    const bool remaining = others_leave || servants_.contains(servant);
    lock.unlock();
    call_etherealize(object, cleanup, remaining);
  } else {
    lock.unlock();
  }
  object.servant.reset();
  lock.lock();
  if (etherealize) end_transition(text);
  --uses_;
  released(std::move(lock));
}

void Adapter::call_etherealize(const ServedObject& object, bool cleanup, bool remaining) noexcept {
  try {
    const orb::UpcallScope scope = parts_.dispatcher->enter_upcall();
    const auto single_thread = enter_upcall();
    Lock lock(mutex_);
    const auto activator = servant_activator_;
    if (!activator) return;
    const ActivatorTurn turn(*this, lock);
    lock.unlock();
    activator->etherealize(object.id, CORBA::object_reference<PortableServer::POA>(self()),
                           object.servant, cleanup, remaining);
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "poa", std::string("etherealize: ") + exception.what());
  } catch (...) {
    log::write(log::Level::warning, "poa", "etherealize: an exception of an unknown type");
  }
}

void Adapter::etherealize_objects() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!etherealizes()) return;
  }
  remove_objects(Etherealize::yes);
}

counted_ptr<Adapter> Adapter::child(std::string_view name) const noexcept {
  const std::lock_guard lock(mutex_);
  const auto making = children_being_made_.find(name);
  if (making != children_being_made_.end() && making->second != std::this_thread::get_id())
    return nullptr;
  const auto found = children_.find(name);
  return found == children_.end() ? nullptr : found->second;
}

bool Adapter::has_activator() const noexcept {
  const std::lock_guard lock(mutex_);
  return static_cast<bool>(adapter_activator_);
}

bool Adapter::activate_child(const std::string& name) {
  // First: an upcall that has this lock may ask for the child, too, and must not find it half made.
  const auto single_thread = enter_upcall();
  CORBA::object_reference<AdapterActivator> activator;
  {
    Lock lock = lock_alive();
    const auto others_make_it = [this, &name] {
      const auto making = children_being_made_.find(name);
      return making != children_being_made_.end() && making->second != std::this_thread::get_id();
    };
    transitions_changed_.wait(lock, [&] { return !others_make_it(); });
    if (children_.contains(name)) return true;
    if (children_being_made_.contains(name))  // by this thread: the request is nested in that
      throw CORBA::TRANSIENT(minor_discarded, COMPLETED_NO, "the adapter is being made");
    if (!adapter_activator_) return false;
    activator = adapter_activator_;
    children_being_made_.emplace(name, std::this_thread::get_id());
  }
  struct Done {
    Adapter& parent;
    const std::string& name;
    ~Done() {
      const std::lock_guard lock(parent.mutex_);
      parent.children_being_made_.erase(name);
      parent.transitions_changed_.notify_all();
    }
  } const done{*this, name};
  return call_unknown_adapter(*activator, name) && child(name) != nullptr;
}

// CORBA 3.0, 11.3.3: its system exceptions become one that says where they come from.
bool Adapter::call_unknown_adapter(AdapterActivator& activator, const std::string& name) {
  const orb::UpcallScope scope = parts_.dispatcher->enter_upcall();
  try {
    return activator.unknown_adapter(CORBA::object_reference<PortableServer::POA>(self()), name);
  } catch (const CORBA::SystemException& exception) {
    throw CORBA::OBJ_ADAPTER(minor_adapter_activator, COMPLETED_NO,
                             std::string("unknown_adapter: ") + exception.what());
  }
}

}  // namespace perigee::poa

namespace PortableServer {
inline namespace perigee_v1 {

ServantManager::~ServantManager() = default;
ServantActivator::~ServantActivator() = default;
ServantLocator::~ServantLocator() = default;
AdapterActivator::~AdapterActivator() = default;

bool ServantManager::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id;
}
bool ServantActivator::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || ServantManager::_implements(repository_id);
}
bool ServantLocator::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id || ServantManager::_implements(repository_id);
}
bool AdapterActivator::_implements(std::string_view repository_id) const noexcept {
  return repository_id == _type_id;
}

}  // namespace perigee_v1
}  // namespace PortableServer
