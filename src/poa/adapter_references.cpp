// Conversions between the references, ids and servants of an adapter.
#include "orb/core/orb_core.h"
#include "orb/core/policy_components.h"
#include "orb/references/reference.h"
#include "poa/adapter.h"
#include "poa/adapter_host.h"
#include "poa/manager.h"
#include "poa/minor_codes.h"
#include "poa/upcall.h"
#include <perigee/poa/servant_interfaces.h>

#include <algorithm>
#include <cstring>

namespace perigee::poa {

using CORBA::COMPLETED_NO;
using PortableServer::ObjectId;

namespace {

// The ids that the system makes differ in size. An id from a slot has 8 octets. An id that
// create_reference reserves in a transient adapter has 12. In a persistent adapter each id has 16,
// and is unique over restarts.
constexpr std::size_t reserved_id_size = 12;
constexpr std::size_t persistent_id_size = 16;

// The object key of a reference that leads to this server; else empty.
Octets local_key(const CORBA::Object& object, const orb::OrbCore& core) {
  const orb::Reference* reference = object._reference().get();
  if (reference == nullptr || &reference->context() != &core.context()) return {};
  const auto profiles = reference->base();
  for (const orb::Target& target : profiles->targets)
    if (target.collocated) return {target.object_key.begin(), target.object_key.end()};
  return {};
}

void append_number(ObjectId& id, std::uint64_t value, std::size_t size) {
  while (size-- > 0) id.push_back(static_cast<std::uint8_t>(value >> (8 * size) & 0xff));
}

}  // namespace

bool Adapter::is_system_id(const ObjectId& id) const noexcept {
  if (parts_.policies.persistent()) return id.size() == persistent_id_size;
  return id.size() == slot_id_size || id.size() == reserved_id_size;
}

void Adapter::check_id_is_ours(const ObjectId& id) const {
  const bool is_reserved = id.empty() || id.front() >= 0xf0;
  if (parts_.ids_are_keys && is_reserved)
    throw CORBA::BAD_PARAM(
        minor_foreign_id, COMPLETED_NO,
        "an id of the INSPOA must not be empty or begin with an octet above 0xef");
  if (parts_.policies.system_id() && !is_system_id(id))
    throw CORBA::BAD_PARAM(minor_foreign_id, COMPLETED_NO, "not an id of this SYSTEM_ID adapter");
}

// For objects that have no slot yet, and for objects of persistent adapters. Expects mutex_ to be
// held.
ObjectId Adapter::new_system_id() {
  ObjectId id;
  const bool persistent = parts_.policies.persistent();
  append_number(id, persistent ? parts_.host->nonce() : 0xffffffff, persistent ? 8 : 4);
  append_number(id, next_id_++, 8);
  return id;
}

Octets Adapter::key_of(const ObjectId& id) const {
  if (parts_.ids_are_keys)
    return {std::as_bytes(std::span(id)).begin(), std::as_bytes(std::span(id)).end()};
  if (parts_.policies.persistent()) return make_persistent_key(links_.path(), id);
  const TransientPrefix prefix{parts_.host->nonce(), ref_};
  if (!parts_.policies.system_id() || id.size() != slot_id_size) return make_id_key(prefix, id);
  // The key has the slot that the id names, because the key of an id never changes. The object may
  // be in another slot now, if it was activated again with its old id.
  const auto number = [&id](std::size_t offset) {
    return std::uint32_t{id[offset]} << 24 | std::uint32_t{id[offset + 1]} << 16 |
           std::uint32_t{id[offset + 2]} << 8 | id[offset + 3];
  };
  return make_slot_key(prefix, {number(0), number(4)});
}

CORBA::object_reference<CORBA::Object> Adapter::make_reference(std::string repository_id,
                                                               const ObjectId& id) const {
  const PolicySet& policies = parts_.policies;
  const orb::BothCompletions components(policies.policy_components.get(),
                                        policies.components.get());
  return parts_.host->core()->make_local_object(std::move(repository_id), key_of(id),
                                                policies.protocols.get(), &components);
}

CORBA::object_reference<CORBA::Object> Adapter::reference_to(const ServedObject& object) const {
  if (auto* const interfaces = dynamic_cast<ServantInterfaces*>(object.servant.get()))
    return make_reference(
        interfaces->_primary_interface(object.id, PortableServer::POA::_ref_type(object.adapter)),
        object.id);
  return make_reference(std::string(object.servant->_primary_interface()), object.id);
}

CORBA::object_reference<CORBA::Object> Adapter::create_reference(const std::string& repository_id) {
  Lock lock = lock_alive();
  if (!parts_.policies.system_id()) throw WrongPolicy();
  const ObjectId id = new_system_id();
  lock.unlock();
  return make_reference(repository_id, id);
}

CORBA::object_reference<CORBA::Object> Adapter::create_reference_with_id(
    const ObjectId& id, const std::string& repository_id) {
  (void)lock_alive();
  check_id_is_ours(id);
  return make_reference(repository_id, id);
}

SlotTable<ActiveObject>::Pin Adapter::pin(SlotRef slot) const {
  return parts_.host->objects().pin(slot);
}

// Null if there is no active object with this id.
SlotTable<ActiveObject>::Pin Adapter::pin_id(const ObjectId& id) const {
  std::optional<SlotRef> slot;
  {
    const Lock lock = lock_alive();
    slot = objects_.find(id_view(id));
  }
  return slot ? pin(*slot) : SlotTable<ActiveObject>::Pin();
}

// Null unless the calling thread is in an upcall on this servant through this adapter.
const ServedObject* Adapter::upcall_on(const PortableServer::Servant* servant) const noexcept {
  const Upcall* upcall = Upcall::current();
  if (upcall == nullptr) return nullptr;
  const ServedObject& object = upcall->object();
  return object.servant.get() == servant && object.adapter.get() == this ? &object : nullptr;
}

// In a UNIQUE_ID adapter, finds the servant's active object. If there is none, or if the adapter is
// not UNIQUE_ID, activates the servant implicitly. Expects a RETAIN adapter.
Adapter::Found Adapter::find_or_activate(const ServantRef& servant) {
  Lock lock = lock_alive();
  if (parts_.policies.unique_id())
    if (const auto found = objects_.find_by_servant(servant.get()))
      return {*found, /*is_new=*/false};
  if (!parts_.policies.implicit_activation()) throw ServantNotActive();
  return {activate(lock, std::nullopt, servant), /*is_new=*/true};
}

// CORBA 3.0, 4.12.3: BAD_PARAM is the exception for null values. INV_OBJREF is for references.
void Adapter::check_not_nil(const ServantRef& servant) {
  if (!servant) throw CORBA::BAD_PARAM(0, COMPLETED_NO, "nil servant");
}

// CORBA 3.0, 11.3.8.20.
ObjectId Adapter::servant_to_id(const ServantRef& servant) {
  (void)lock_alive();
  check_not_nil(servant);
  if (parts_.policies.finds_by_servant()) {
    if (const auto object = pin(find_or_activate(servant).slot)) return object->id;
    throw ServantNotActive();
  }
  if (!parts_.policies.default_servant()) throw WrongPolicy();
  if (const ServedObject* object = upcall_on(servant.get())) return object->id;
  throw ServantNotActive();
}

// CORBA 3.0, 11.3.8.21.
CORBA::object_reference<CORBA::Object> Adapter::servant_to_reference(const ServantRef& servant) {
  (void)lock_alive();
  check_not_nil(servant);
  if (const ServedObject* object = upcall_on(servant.get())) return reference_to(*object);
  if (!parts_.policies.finds_by_servant()) throw WrongPolicy();
  const Found found = find_or_activate(servant);
  const auto object = pin(found.slot);
  if (!object) throw ServantNotActive();
  try {
    return reference_to(*object);
  } catch (...) {  // thrown by the function of a dynamic servant that gives the interface
    if (found.is_new) (void)deactivate_if_active(object->id);
    throw;
  }
}

PortableServer::POA::ServantRef Adapter::reference_to_servant(
    const CORBA::object_reference<CORBA::Object>& reference) {
  return id_to_servant(reference_to_id(reference));
}

// CORBA 3.0, 11.3.8.22 and 24.
PortableServer::POA::ServantRef Adapter::id_to_servant(const ObjectId& id) {
  (void)lock_alive();
  if (!parts_.policies.retain() && !parts_.policies.default_servant()) throw WrongPolicy();
  if (const auto object = pin_id(id)) return object->servant;
  const Lock lock = lock_alive();
  if (default_servant_) return default_servant_;
  throw ObjectNotActive();
}

CORBA::object_reference<CORBA::Object> Adapter::id_to_reference(const ObjectId& id) {
  (void)lock_alive();
  if (!parts_.policies.retain()) throw WrongPolicy();
  if (const auto object = pin_id(id)) return reference_to(*object);
  throw ObjectNotActive();
}

ObjectId Adapter::reference_to_id(const CORBA::object_reference<CORBA::Object>& reference) {
  (void)lock_alive();
  if (!reference) throw CORBA::INV_OBJREF(0, COMPLETED_NO, "nil reference");
  const Octets octets = local_key(*reference, *parts_.host->core());
  const std::optional<KeyView> key = parse_key(octets);
  if (parts_.ids_are_keys && !key && !octets.empty()) return to_id(octets);
  if (!key || parts_.ids_are_keys) throw WrongAdapter();
  const bool ours =
      key->kind == KeyKind::persistent
          ? parts_.policies.persistent() && std::ranges::equal(key->path, links_.path())
          : key->nonce == parts_.host->nonce() && key->adapter == ref_;
  if (!ours) throw WrongAdapter();
  return to_id(key->id);
}

}  // namespace perigee::poa
