// Object ids, references, the right to write, and the checks of changed definitions.
#include "repository/shared.h"

#include "repository/embedded_reader.h"
#include <perigee/orb/orb.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <unordered_set>

namespace perigee::repository {

namespace {

constexpr std::size_t id_size = 8;

PortableServer::ObjectId id_of(std::uint64_t key) {
  PortableServer::ObjectId id(id_size);
  for (std::size_t index = 0; index < id_size; ++index)
    id[index] = static_cast<std::uint8_t>(key >> (8 * (id_size - 1 - index)));
  return id;
}

/// Returns a key that no definition has if the id is malformed.
std::uint64_t key_of(const PortableServer::ObjectId& id) {
  if (id.size() != id_size) return ~std::uint64_t{0};
  std::uint64_t key = 0;
  for (const std::uint8_t octet : id) key = key << 8 | octet;
  return key;
}

std::string_view type_id_of(Kind kind) {
  switch (kind) {
    case Kind::dk_Repository:
      return CORBA::Repository::_type_id;
    case Kind::dk_Module:
      return CORBA::ModuleDef::_type_id;
    case Kind::dk_Constant:
      return CORBA::ConstantDef::_type_id;
    case Kind::dk_Struct:
      return CORBA::StructDef::_type_id;
    case Kind::dk_Union:
      return CORBA::UnionDef::_type_id;
    case Kind::dk_Enum:
      return CORBA::EnumDef::_type_id;
    case Kind::dk_Alias:
      return CORBA::AliasDef::_type_id;
    case Kind::dk_Native:
      return CORBA::NativeDef::_type_id;
    case Kind::dk_Exception:
      return CORBA::ExceptionDef::_type_id;
    case Kind::dk_Attribute:
      return CORBA::ExtAttributeDef::_type_id;
    case Kind::dk_Operation:
      return CORBA::OperationDef::_type_id;
    case Kind::dk_Interface:
      return CORBA::ExtInterfaceDef::_type_id;
    case Kind::dk_AbstractInterface:
      return CORBA::ExtAbstractInterfaceDef::_type_id;
    case Kind::dk_LocalInterface:
      return CORBA::ExtLocalInterfaceDef::_type_id;
    case Kind::dk_Value:
      return CORBA::ExtValueDef::_type_id;
    case Kind::dk_ValueBox:
      return CORBA::ValueBoxDef::_type_id;
    case Kind::dk_ValueMember:
      return CORBA::ValueMemberDef::_type_id;
    case Kind::dk_Primitive:
      return CORBA::PrimitiveDef::_type_id;
    case Kind::dk_String:
      return CORBA::StringDef::_type_id;
    case Kind::dk_Wstring:
      return CORBA::WstringDef::_type_id;
    case Kind::dk_Fixed:
      return CORBA::FixedDef::_type_id;
    case Kind::dk_Sequence:
      return CORBA::SequenceDef::_type_id;
    case Kind::dk_Array:
      return CORBA::ArrayDef::_type_id;
    default:
      return CORBA::IRObject::_type_id;
  }
}

/// Whether an address like "iiop://127.0.0.1:40000" belongs to this host for certain.
bool is_local(std::string_view peer) {
  static constexpr std::array schemes = {std::string_view("uiop:"), std::string_view("shmiop:")};
  if (std::ranges::any_of(schemes, [&](auto scheme) { return peer.starts_with(scheme); }))
    return true;
  const std::size_t host = peer.find("//");
  if (host == std::string_view::npos) return false;
  peer.remove_prefix(host + 2);
  return peer.starts_with("127.") || peer.starts_with("[::1]") || peer.starts_with("[::ffff:127.");
}

bool is_value_type(const Definition* type) {
  return type->kind != Kind::dk_Primitive || (type->primitive != CORBA::PrimitiveKind::pk_void &&
                                              type->primitive != CORBA::PrimitiveKind::pk_null);
}

bool is_void(const Definition* type) {
  return type->kind == Kind::dk_Primitive && type->primitive == CORBA::PrimitiveKind::pk_void;
}

/// Raises BAD_PARAM if two names differ at most in case.
template <typename Named>
void check_distinct(const std::vector<Named>& named, const char* text) {
  std::unordered_set<std::string> names;
  for (const Named& one : named)
    if (!names.insert(in_lower_case(one.name)).second) raise_bad_param(0, text);
}

void check_parameters(const Definition& definition) {
  constexpr const char* text = "two parameters have the same name";
  if (definition.kind == Kind::dk_Operation) check_distinct(definition.parts, text);
  check_distinct(definition.creators, "two initializers have the same name");
  for (const Creator& creator : definition.creators) check_distinct(creator.parameters, text);
}

/// CORBA 3.0, 10.5.24 and annex A: a oneway operation has only `in` parameters.
bool is_possible_oneway(const Definition& operation) {
  return is_void(operation.type) && operation.exceptions.empty() &&
         std::ranges::all_of(operation.parts, [](const Part& part) {
           return part.mode == CORBA::ParameterMode::PARAM_IN;
         });
}

/// Raises BAD_PARAM if a type is void where this is not allowed, and for an impossible oneway
/// operation. The types of members are checked by their TypeCodes.
void check_types(const Definition& definition) {
  const bool has_value = definition.kind == Kind::dk_Attribute ||
                         definition.kind == Kind::dk_ValueMember ||
                         definition.kind == Kind::dk_Constant;
  const bool is_operation = definition.kind == Kind::dk_Operation;
  const auto is_right = [](const Part& part) { return is_value_type(part.type); };
  if ((has_value && !is_value_type(definition.type)) ||
      (is_operation && !std::ranges::all_of(definition.parts, is_right)))
    raise_bad_param(0, "an attribute, a member, a constant or a parameter cannot be void");
  if (is_operation && definition.is_oneway && !is_possible_oneway(definition))
    raise_bad_param(31, "a oneway operation has a result, an out parameter or an exception");
}

/// Raises BAD_PARAM if a base is given twice (CORBA 3.0, 3.8.5), or is the definition itself.
void check_bases(const Definition& definition) {
  const auto check_once = [](std::vector<Definition*> bases) {
    std::ranges::sort(bases, std::less<>());
    if (std::ranges::adjacent_find(bases) != bases.end())
      raise_bad_param(0, "a base or a supported interface is in the list twice");
  };
  check_once(definition.bases);
  check_once(definition.supported);
  if (is_own_base(definition)) raise_bad_param(0, "the definition would be its own base");
}

}  // namespace

Shared::Shared(const CORBA::object_reference<CORBA::ORB>& orb, const Options& options)
    : store_(options.limits), writers_(options.writers) {
  current_ =
      IDL::traits<PortableServer::Current>::narrow(orb->resolve_initial_references("POACurrent"));
  peer_ = IDL::traits<PeerCurrent>::narrow(orb->resolve_initial_references("PeerCurrent"));
}

CORBA::object_reference<CORBA::Repository> Shared::repository() {
  const std::scoped_lock lock(mutex_);
  return reference<CORBA::Repository>(&store_.root());
}

void Shared::load(const std::vector<Embedded>& descriptions) {
  const std::lock_guard lock(mutex_);
  EmbeddedReader reader(store_);
  for (const Embedded& each : descriptions) reader.read(each);
}

Kind Shared::kind_of(const PortableServer::ObjectId& id) {
  const std::scoped_lock lock(mutex_);
  const Definition* found = store_.find(key_of(id));
  if (found == nullptr)
    throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the definition has been destroyed");
  return found->kind;
}

CORBA::object_reference<CORBA::Object> Shared::object(const Definition& definition) const {
  return poa_->create_reference_with_id(id_of(definition.key),
                                        std::string(type_id_of(definition.kind)));
}

Definition& Shared::definition(const CORBA::object_reference<CORBA::Object>& object) {
  if (!object) raise_bad_param(0, "a reference to a definition is nil");
  Definition* found = nullptr;
  try {
    found = store_.find(key_of(poa_->reference_to_id(object)));
  } catch (const PortableServer::POA::WrongAdapter&) {
    raise_bad_param(0, "a reference belongs to another repository");
  }
  if (found == nullptr) raise_bad_param(0, "a definition has been destroyed");
  return *found;
}

bool Shared::may_write() const {
  if (writers_ == Writers::all) return true;
  const std::string peer = peer_->peer();
  if (peer.empty()) return true;  // a call within the process
  return writers_ == Writers::local && (peer_->identity().has_value() || is_local(peer));
}

Access::Access(Shared& shared, Right right) : shared_(shared) {
  if (right == Right::write && !shared.may_write())
    throw CORBA::NO_PERMISSION(
        0, CORBA::COMPLETED_NO,
        "this client may not change the repository; see the option --writers");
  const PortableServer::ObjectId id = shared.current_->get_object_id();
  lock_ = std::unique_lock(shared.mutex_);
  definition_ = shared.store_.find(key_of(id));
  if (definition_ == nullptr)
    throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the definition has been destroyed");
}

void Access::check(Definition& definition) const {
  check_types(definition);
  check_parameters(definition);
  store().check_count(
      std::max({definition.parts.size(), definition.names.size(), definition.bases.size(),
                definition.supported.size(), definition.exceptions.size(),
                definition.writing_exceptions.size(), definition.creators.size()}));
  for (const std::string& name : definition.names)
    if (definition.kind == Kind::dk_Enum) store().check_identifier(name);
  for (const Part& part : definition.parts) store().check_identifier(part.name);
  check_bases(definition);
  if (is_interface(definition.kind) || definition.kind == Kind::dk_Value)
    store().check_inherited(definition);
  for (Definition* used : uses_of(definition))
    if (is_type(used->kind) || used->kind == Kind::dk_Exception) (void)type_code(store(), *used);
  if (is_type(definition.kind) || definition.kind == Kind::dk_Exception)
    (void)type_code(store(), definition);
}

void Access::check_with(Definition& value, Definition& member) const {
  std::vector<Definition*>& contents = value.contents;
  const auto remove = [&] {
    contents.pop_back();
    store().changed();
  };
  contents.push_back(&member);
  store().changed();
  try {
    check_dependent_types(store(), value);
  } catch (...) {
    remove();
    throw;
  }
  remove();
}

void Access::move(Definition& container, const NewName& name) const {
  if (definition_->kind == Kind::dk_ValueMember && &container != definition_->container)
    check_with(container, *definition_);
  store().move(*definition_, container, name);
}

Definition& Access::commit(std::unique_ptr<Definition> prepared) const {
  check(*prepared);
  if (prepared->kind == Kind::dk_ValueMember) check_with(*prepared->container, *prepared);
  return store().commit(std::move(prepared));
}

Definition& Access::commit_anonymous(std::unique_ptr<Definition> prepared) const {
  check(*prepared);
  return store().add_anonymous(std::move(prepared));
}

}  // namespace perigee::repository
