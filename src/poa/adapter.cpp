// Adapters and objects in them: creating, destroying, activating, deactivating.
// References and ids are in adapter_references.cpp, servant managers in adapter_managers.cpp.
#include "poa/adapter.h"

#include "base/undo.h"
#include "orb/context/server.h"
#include "orb/core/orb_core.h"
#include "poa/adapter_host.h"
#include "poa/manager.h"
#include "poa/manager_factory.h"
#include "poa/manager_table.h"
#include "poa/minor_codes.h"

#include <algorithm>
#include <new>

namespace perigee::poa {

using CORBA::COMPLETED_NO;
using PortableServer::ObjectId;

ActiveObject::~ActiveObject() {
  if (adapter) adapter->object_ended(*this);
}

Adapter::Adapter(AdapterParts parts, const counted_ptr<Adapter>& parent)
    : parts_(std::move(parts)),
      links_(parent, parent ? extend_path(parent->links_.path(), parts_.name) : encode_path({})) {}

Adapter::~Adapter() = default;

counted_ptr<Adapter> Adapter::make(AdapterParts parts, const counted_ptr<Adapter>& parent) {
  auto made = make_counted<Adapter>(std::move(parts), parent);
  made->attach(made);
  return made;
}

// The table comes last: its reference keeps the adapter alive until `destroy`. If an earlier step
// fails, nothing keeps the adapter alive.
void Adapter::attach(const counted_ptr<Adapter>& self) {
  self_ = self;
  parts_.manager->add(self);
  const auto slot =
      parts_.host->adapters().insert([this, &self](AdapterEntry& entry, SlotRef ref) noexcept {
        ref_ = ref;
        entry.adapter = self;
      });
  if (!slot)
    throw CORBA::NO_RESOURCES(minor_table_full, COMPLETED_NO,
                              "the ORB has as many POAs as allowed (adapters_max)");
}

counted_ptr<Adapter> Adapter::self() const { return self_.lock(); }

Adapter::Lock Adapter::lock_alive() const {
  Lock lock(mutex_);
  if (destroyed_)
    throw CORBA::OBJECT_NOT_EXIST(minor_no_adapter, COMPLETED_NO, "the POA has been destroyed");
  return lock;
}

bool Adapter::destroyed() const noexcept {
  const std::lock_guard lock(mutex_);
  return destroyed_;
}

CORBA::object_reference<PortableServer::POA> Adapter::create_POA(
    const std::string& adapter_name, CORBA::object_reference<PortableServer::POAManager> manager,
    const CORBA::PolicyList& policies) {
  if (adapter_name.size() > adapter_name_size_max || path_depth(links_.path()) >= adapter_depth_max)
    throw CORBA::BAD_PARAM(0, COMPLETED_NO,
                           "the name of the POA has more than 65535 octets, or its path more than "
                           "255 names");
  if (parts_.ids_are_keys)
    throw CORBA::NO_PERMISSION(0, COMPLETED_NO, "the INSPOA has no children");
  const auto hooks = parts_.host->hooks();
  PolicySet set = make_policy_set(policies, hooks.get());
  auto own_manager = dynamic_counted_cast<Manager>(manager._shared());
  if (!manager)
    own_manager = parts_.host->managers().make(parts_.host);
  else if (!own_manager || !own_manager->is_of(*parts_.host))
    throw CORBA::BAD_PARAM(0, COMPLETED_NO, "the POAManager belongs to another ORB");
  if (hooks != nullptr) set.components = hooks->make_components(policies, *own_manager);
  const Lock lock = lock_alive();
  if (links_.contains(adapter_name)) throw AdapterAlreadyExists();
  auto child = make_counted<Adapter>(
      AdapterParts{parts_.host, std::move(own_manager), adapter_name, std::move(set), false},
      self());
  links_.add(adapter_name, child);
  Undo added([&] { links_.remove(adapter_name, child.get()); });
  child->attach(child);
  added.keep();
  return CORBA::object_reference<POA>(std::move(child));
}

CORBA::object_reference<PortableServer::POA> Adapter::find_POA(const std::string& adapter_name,
                                                               bool activate_it) {
  for (;;) {
    {
      const Lock lock = lock_alive();
      if (auto found = links_.find(adapter_name))
        return CORBA::object_reference<POA>(std::move(found));
    }
    if (!activate_it || !activate_child(adapter_name)) throw AdapterNonExistent();
  }
}

std::vector<counted_ptr<Adapter>> Adapter::all_children() const {
  const std::lock_guard lock(mutex_);
  return links_.all();
}

std::size_t Adapter::active_object_count() const noexcept {
  const std::lock_guard lock(mutex_);
  return objects_.size();
}

counted_ptr<Adapter> Adapter::first_child() const noexcept {
  const std::lock_guard lock(mutex_);
  return links_.first();
}

counted_ptr<Adapter> Adapter::child_after(const Adapter& child) const noexcept {
  const std::lock_guard lock(mutex_);
  return links_.after(child.parts_.name);
}

void Adapter::forget_child(const Adapter& child) noexcept {
  const std::lock_guard lock(mutex_);
  links_.remove(child.parts_.name, &child);
}

// Allocates no memory, so no adapter remains partly destroyed. Each destroyed child removes itself
// from the tree, so the loop over the children ends.
void Adapter::destroy(bool etherealize_objects, bool wait_for_completion) {
  if (wait_for_completion) parts_.host->check_may_wait();
  const counted_ptr<Adapter> keep = self();  // the table may hold the last reference
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first =
        !std::exchange(destroyed_, true);  // no children and no objects are made from here on
  }
  while (const auto known = first_child()) known->destroy(etherealize_objects, wait_for_completion);
  remove_objects(etherealize_objects ? Etherealize::yes : Etherealize::no);
  parts_.host->adapters().remove(ref_);
  if (const auto parent = links_.parent()) parent->forget_child(*this);
  parts_.host->resume_held_requests();
  parts_.manager->wake_held();
  const bool was_established = !parts_.ids_are_keys;  // interceptors do not see the INSPOA
  if (is_first && was_established)
    if (const auto hooks = parts_.host->hooks()) hooks->adapter_destroyed(*this);
  released(Lock(mutex_));
  if (!wait_for_completion) return;
  Lock lock(mutex_);
  released_.wait(lock, [this] { return uses_ == 0; });
}

// Objects that serve no request end here. The others end when their last request ends.
void Adapter::remove_objects(Etherealize etherealize) noexcept {
  ObjectMap::ById objects;
  {
    const std::lock_guard lock(mutex_);
    objects = objects_.remove_all();
    if (etherealize == Etherealize::yes && etherealizes())
      for (auto& [id, object] : objects)
        activation_.begin_leaving(std::move(object.leaving), Reason::cleanup);
  }
  for (const auto& [id, object] : objects) remove_from_tables(object);
}

void Adapter::remove_from_tables(const ObjectMap::Object& object) noexcept {
  if (!object.key.empty()) parts_.host->key_index().erase(object.key, object.slot);
  parts_.host->objects().remove(object.slot);
}

// A path does not contain the name of the root. The INSPOA is a root without children.
std::vector<std::string> Adapter::full_name() const {
  std::vector<std::string> names{parts_.ids_are_keys ? parts_.name : "RootPOA"};
  PathNames below(links_.path());
  while (const auto name = below.next()) names.emplace_back(*name);
  return names;
}

std::string Adapter::the_name() {
  (void)lock_alive();
  return parts_.name;
}

CORBA::object_reference<PortableServer::POA> Adapter::the_parent() {
  (void)lock_alive();
  return CORBA::object_reference<POA>(links_.parent());
}

PortableServer::POAList Adapter::the_children() {
  (void)lock_alive();
  PortableServer::POAList list;
  for (const auto& known : all_children()) list.emplace_back(known);
  return list;
}

CORBA::object_reference<PortableServer::POAManager> Adapter::the_POAManager() {
  (void)lock_alive();
  return CORBA::object_reference<PortableServer::POAManager>(parts_.manager);
}

CORBA::object_reference<PortableServer::POAManagerFactory> Adapter::the_POAManagerFactory() {
  (void)lock_alive();
  return CORBA::object_reference<PortableServer::POAManagerFactory>(
      make_counted<ManagerFactory>(parts_.host));
}

ObjectId Adapter::id() {
  (void)lock_alive();
  return slot_id(ref_);
}

ObjectId Adapter::activate_object(const ServantRef& servant) {
  Lock lock = lock_alive();
  if (!parts_.policies.system_id() || !parts_.policies.retain()) throw WrongPolicy();
  ObjectId id;
  (void)activate(lock, std::nullopt, servant, &id);
  return id;
}

void Adapter::activate_object_with_id(const ObjectId& id, const ServantRef& servant) {
  Lock lock = lock_alive();
  if (!parts_.policies.retain()) throw WrongPolicy();
  check_id_is_ours(id);
  const std::string text = id_text(id);
  wait_for_transition(lock, text, Waits::application);
  if (objects_.contains(text)) throw ObjectAlreadyActive();
  (void)activate(lock, id, servant);
}

// Without an id, the adapter makes one: a transient adapter from the slot, a persistent adapter
// from the host's random number and a counter. `copy_of_id` gets the id, unless it is null.
SlotRef Adapter::activate(Lock& lock, std::optional<ObjectId> id, const ServantRef& servant,
                          ObjectId* copy_of_id) {
  check_not_nil(servant);
  if (parts_.policies.unique_id() && objects_.serves(servant.get())) throw ServantAlreadyActive();
  const bool from_slot = !id && !parts_.policies.persistent();
  ActiveObject object;
  object.servant = servant;
  object.adapter_ref = ref_;
  object.has_slot_id = from_slot;
  object.id = id ? std::move(*id) : from_slot ? slot_id({}) : new_system_id();
  const auto slot = parts_.host->objects().insert([&](ActiveObject& place, SlotRef ref) {
    if (from_slot) object.id = slot_id(ref);
    if (copy_of_id != nullptr) *copy_of_id = object.id;
    list(object, ref);
    ++uses_;
    place = std::move(object);
    place.adapter = self();
  });
  if (!slot)
    throw CORBA::NO_RESOURCES(minor_table_full, COMPLETED_NO,
                              "the ORB has as many active objects as allowed (objects_max)");
  (void)lock;  // held by the caller
  return *slot;
}

// Lists the object by its id, its servant and its key, or not at all. A key that contains the slot
// is not listed.
void Adapter::list(const ActiveObject& object, SlotRef slot) {
  const std::string text = id_text(object.id);
  if (objects_.contains(text))
    throw CORBA::OBJ_ADAPTER(0, COMPLETED_NO, "another object has the id of the slot");
  ObjectMap::Object listing{slot, object.servant.get()};
  if (!object.has_slot_id) listing.key = key_of(object.id);
  if (parts_.policies.servant_manager())
    listing.leaving = ServantActivation::make_leaving_nodes(text, object.servant.get());
  const Octets& key = objects_.add(text, std::move(listing)).key;
  Undo listed([&] { objects_.remove(text); });
  if (!key.empty()) parts_.host->key_index().put(key, slot);
  listed.keep();
}

// Allocates no memory, so no object remains partly deactivated.
void Adapter::deactivate_object(const ObjectId& id) {
  if (!deactivate_if_active(id)) throw ObjectNotActive();
}

bool Adapter::deactivate_if_active(const ObjectId& id) {
  SlotTable<ActiveObject>::Pin object;  // released after unlocking: the servant may end then
  Lock lock = lock_alive();
  if (!parts_.policies.retain()) throw WrongPolicy();
  auto removed = objects_.remove(id_view(id));
  if (!removed) return false;
  object = pin(removed->slot);
  if (etherealizes()) activation_.begin_leaving(std::move(removed->leaving), Reason::deactivated);
  lock.unlock();
  remove_from_tables(*removed);
  return true;
}

bool Adapter::enter() noexcept {
  const std::lock_guard lock(mutex_);
  if (destroyed_) return false;
  ++uses_;
  return true;
}

void Adapter::enter_again() noexcept {
  const std::lock_guard lock(mutex_);
  ++uses_;
}

void Adapter::leave() noexcept {
  Lock lock(mutex_);
  --uses_;
  released(std::move(lock));
}

// A destroyed adapter that is not used any more releases its default servant, its servant manager
// and its adapter activator: these may hold references to the adapter.
void Adapter::released(Lock lock) noexcept {
  released_.notify_all();
  if (!destroyed_ || uses_ != 0) return;
  const auto default_servant = std::exchange(default_servant_, nullptr);
  const auto manager = std::exchange(servant_manager_, nullptr);
  const auto activator = std::exchange(servant_activator_, nullptr);
  const auto locator = std::exchange(servant_locator_, nullptr);
  const auto adapter_activator = std::exchange(adapter_activator_, nullptr);
  lock.unlock();
}

void Adapter::wait_until_idle() {
  std::vector<SlotRef> slots;
  {
    const std::lock_guard lock(mutex_);
    slots = objects_.slots();
  }
  for (const SlotRef slot : slots) parts_.host->objects().wait_until_idle(slot);
  Lock lock(mutex_);  // also waits for objects in use that are not active
  released_.wait(lock, [this] { return uses_ <= objects_.size(); });
}

// The upcall that has the lock may wait for a request that only this thread could serve. So this
// thread waits for a limited time if `begin_wait` says that no other thread would serve meanwhile.
std::unique_lock<std::recursive_timed_mutex> Adapter::enter_upcall() {
  if (!parts_.policies.single_thread()) return {};
  std::unique_lock lock(upcall_mutex_, std::try_to_lock);
  if (lock.owns_lock()) return lock;
  const std::shared_ptr<orb::OrbCore> core = parts_.host->core();
  orb::Server* const server = core->server();
  if (server == nullptr) {
    lock.lock();
  } else if (server->begin_wait()) {
    lock.lock();
    server->end_wait();
  } else if (!lock.try_lock_for(core->settings().single_thread_wait)) {
    throw CORBA::TRANSIENT(minor_discarded, COMPLETED_NO,
                           "the request waited too long for its turn at a POA with "
                           "SINGLE_THREAD_MODEL, and no other thread is left to serve");
  }
  return lock;
}

}  // namespace perigee::poa
