// Walks along names, makes references, and makes changes.
#include "services/naming/tree.h"

#include <perigee/async/on_orb.h>
#include <perigee/base/log.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace perigee::naming {

namespace {

constexpr std::string_view context_type = "IDL:omg.org/CosNaming/NamingContextExt:1.0";
constexpr std::string_view ior_prefix = "IOR:";
constexpr std::string_view digits = "0123456789abcdef";

// Larger references are rare. Without this limit they could fill the memory.
constexpr std::size_t cached_reference_size_max = 4'096;

// A sweep begins after this number of changes with leases. It removes expired bindings in parts of
// 1,000 until none is left, so the number of expired bindings stays limited.
constexpr std::size_t sweep_changes = 500;
constexpr WallTime sweep_interval = 60'000;

/// The value of a hexadecimal digit that object_to_string has written: 0 to 9, or a to f.
constexpr unsigned value_of(char digit) {
  return static_cast<unsigned>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

std::string from_hexadecimal(std::string_view text) {
  std::string octets(text.size() / 2, '\0');
  for (std::size_t index = 0; index < octets.size(); ++index)
    octets[index] =
        static_cast<char>(value_of(text[2 * index]) << 4U | value_of(text[2 * index + 1]));
  return octets;
}

std::string to_ior_text(std::string_view octets) {
  std::string text(ior_prefix);
  text.reserve(text.size() + 2 * octets.size());
  for (const char character : octets) {
    const auto octet = static_cast<unsigned char>(character);
    text += digits[octet >> 4U];
    text += digits[octet & 0xfU];
  }
  return text;
}

void append(PortableServer::ObjectId& id, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8)
    id.push_back(static_cast<std::uint8_t>(number >> shift));
}

std::uint64_t number_at(const PortableServer::ObjectId& id, std::size_t from) {
  std::uint64_t number = 0;
  for (std::size_t index = from; index < from + 8; ++index) number = number << 8U | id[index];
  return number;
}

Component component_of(const CosNaming::NameComponent& component) {
  return {component.id(), component.kind()};
}

bool may_be_made(const StoreError& error) {
  return error.kind == StoreError::Kind::failed || error.kind == StoreError::Kind::uncertain;
}

/// The object id in a reference. std::nullopt if the adapter did not make the reference.
std::optional<PortableServer::ObjectId> id_in(const PoaRef& poa, const ObjectRef& object) {
  try {
    return poa->reference_to_id(object);
  } catch (const PortableServer::POA::WrongAdapter&) {
    return std::nullopt;
  }
}

}  // namespace

Tree::Tree(CORBA::object_reference<CORBA::ORB> orb, ContextPoas poas, std::unique_ptr<Store> store,
           Options options)
    : orb_(std::move(orb)),
      poas_(std::move(poas)),
      options_(std::move(options)),
      current_(IDL::traits<PeerCurrent>::narrow(orb_->resolve_initial_references("PeerCurrent"))),
      cache_(options_.limits.cached_bindings_max),
      store_(std::move(store)),
      shared_(dynamic_cast<SharedStore*>(store_.get())) {
  store_->on_binding_changed([this](ContextNumber context, const Component* name) {
    if (name == nullptr)
      cache_.clear();
    else
      cache_.remove(context, *name);
  });
}

void Tree::check(const Name& name) const {
  const Limits& limits = options_.limits;
  if (name.empty()) throw CosNaming::NamingContext::InvalidName();
  if (name.size() > limits.components_max)
    raise_limit("the name has too many components", limits.components_max);
  for (const auto& component : name)
    if (std::max(component.id().size(), component.kind().size()) > limits.component_size_max)
      raise_limit("an id or kind of the name has too many octets", limits.component_size_max);
}

services::Client Tree::client() const {
  return {current_->peer(), current_->identity(), current_->certificate()};
}

void Tree::require_change() const {
  const services::Client caller = client();
  if (!services::is_admitted(options_.may_change, caller))
    throw CORBA::NO_PERMISSION(
        0, CORBA::COMPLETED_NO,
        "the naming service allows no changes by this client (" + caller.address +
            "); add an access rule, as with perigee-names --allow-bind <rule>");
}

PortableServer::ObjectId Tree::id_of(ContextNumber context) const {
  PortableServer::ObjectId id;
  append(id, store_->identity());
  append(id, context);
  return id;
}

ContextNumber Tree::number_of(const PortableServer::ObjectId& id) const {
  constexpr std::size_t id_size = 16;
  if (id.size() != id_size || number_at(id, 0) != store_->identity())
    throw CORBA::OBJECT_NOT_EXIST(
        0, CORBA::COMPLETED_NO,
        "the reference names a context of another naming service, or of an earlier store");
  return number_at(id, 8);
}

ObjectRef Tree::reference_of(ContextNumber context) const {
  const std::string type(context_type);
  if (context == root_context)
    return poas_.root->create_reference_with_id(PortableServer::string_to_ObjectId(root_key), type);
  return poas_.inner->create_reference_with_id(id_of(context), type);
}

std::string Tree::octets_of(const ObjectRef& object) const {
  if (!object) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a nil reference cannot be bound");
  std::string octets =
      from_hexadecimal(std::string_view(orb_->object_to_string(object)).substr(ior_prefix.size()));
  if (octets.size() > options_.limits.reference_size_max)
    raise_limit("the reference has too many octets", options_.limits.reference_size_max);
  return octets;
}

Target Tree::object_target(const ObjectRef& object) const {
  return {TargetKind::object, 0, octets_of(object)};
}

Target Tree::context_target(const ContextRef& context) const {
  std::string octets = octets_of(context);
  if (const auto id = id_in(poas_.inner, context))
    return {TargetKind::own_context, number_of(*id), {}};
  if (id_in(poas_.root, context) == PortableServer::string_to_ObjectId(root_key))
    return {TargetKind::own_context, root_context, {}};
  return {TargetKind::foreign_context, 0, std::move(octets)};
}

Resolved Tree::to_resolved(const Binding& binding) const {
  const Target& target = binding.target;
  return {target.kind == TargetKind::own_context
              ? reference_of(target.context)
              : orb_->string_to_object(to_ior_text(target.reference)),
          target.kind, target.context, binding.expires};
}

std::optional<Resolved> Tree::find(ContextNumber context, const Component& name) {
  auto resolved = cache_.find(context, name);
  if (!resolved) {
    const std::uint64_t generation = cache_.generation();
    const auto found = store_->find(context, name);
    if (!found) raise(found.error(), CORBA::COMPLETED_NO);
    if (!*found) return std::nullopt;
    resolved = to_resolved(**found);
    if ((*found)->target.reference.size() <= cached_reference_size_max)
      cache_.put(context, name, *resolved, generation);
  }
  if (resolved->expires != never && has_ended(resolved->expires, now())) return std::nullopt;
  return resolved;
}

void Tree::require_context(ContextNumber context) {
  const auto exists = store_->exists(context);
  if (!exists) raise(exists.error(), CORBA::COMPLETED_NO);
  if (!*exists)
    throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO,
                                  "the naming context has already been destroyed");
}

// A binding to a context stays when the context is destroyed.
void Tree::raise_missing(ContextNumber context, const Name& name, std::size_t index) {
  try {
    require_context(context);
  } catch (const CORBA::OBJECT_NOT_EXIST&) {
    if (index == 0) throw;
    throw CosNaming::NamingContext::CannotProceed(
        IDL::traits<CosNaming::NamingContext>::unchecked_narrow(reference_of(context)),
        Name(name.begin() + static_cast<std::ptrdiff_t>(index), name.end()));
  }
  raise_not_found(Reason::missing_node, name, index);
}

Place Tree::walk(ContextNumber start, const Name& name) {
  Place place{start, nullptr, 0};
  for (; place.rest + 1 < name.size(); ++place.rest) {
    const auto found = find(place.context, component_of(name[place.rest]));
    if (!found) raise_missing(place.context, name, place.rest);
    if (found->kind == TargetKind::object) raise_not_found(Reason::not_context, name, place.rest);
    if (found->kind == TargetKind::foreign_context) {
      place.foreign = IDL::traits<CosNaming::NamingContext>::unchecked_narrow(found->object);
      ++place.rest;
      return place;
    }
    place.context = found->context;
  }
  return place;
}

Resolved Tree::resolve_last(const Place& place, const Name& name) {
  auto found = find(place.context, component_of(name.back()));
  if (!found) raise_missing(place.context, name, name.size() - 1);
  return std::move(*found);
}

task<void> Tree::catch_up() {
  completion<> caught_up(on(orb_));
  shared_->catch_up([&caught_up] { caught_up.complete(); });
  co_await caught_up;
}

task<ChangeResult> Tree::change(Change change) {
  sweep_at_times(change.now, change.expires != never);
  const ContextNumber context = change.context;
  const Component name = change.name;
  completion<std::expected<ChangeResult, StoreError>> made;
  store_->change(std::move(change), [this, context, &name, &made](auto result) {
    cache_.remove(context, name);
    made.complete(std::move(result));
  });
  const std::expected<ChangeResult, StoreError> result = co_await made;
  if (!result)
    raise(result.error(),
          may_be_made(result.error()) ? CORBA::COMPLETED_MAYBE : CORBA::COMPLETED_NO);
  co_return *result;
}

void Tree::begin_removal_of_expired() {
  const WallTime until = now();
  if (until < no_removal_before_ || is_sweeping_) return;
  if (store_->has_expired(until).value_or(false)) sweep(until);
}

void Tree::sweep_at_times(WallTime now, bool is_leased) {
  const bool has_many = is_leased && leased_changes_.fetch_add(1) + 1 >= sweep_changes;
  if (!has_many && now < next_sweep_) return;
  leased_changes_ = 0;
  next_sweep_ = now + sweep_interval;
  sweep(now);
}

void Tree::sweep(WallTime now) {
  if (!is_sweeping_.exchange(true)) sweep_part(now);
}

void Tree::sweep_part(WallTime now) {
  Change change{.kind = Change::Kind::remove_expired, .now = now};
  store_->change(std::move(change), [this, now](const auto& result) {
    if (result && result->has_more && !is_ending_) return sweep_part(now);
    if (!result) {
      no_removal_before_ = now + sweep_interval;
      log::write(log::Level::error, "naming", result.error().text);
    }
    is_sweeping_ = false;
  });
}

void Tree::require_call_left() const {
  if (foreign_calls_ >= options_.limits.foreign_calls_max)
    throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO,
                           "too many calls of other naming services are in progress");
}

}  // namespace perigee::naming
