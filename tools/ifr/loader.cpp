// Adds the definitions in the order of the IDL text. Structs, unions, exceptions and valuetypes are
// made empty, and get their members afterwards: members may refer to their own type.
#include "loader.h"

#include "constant_value.h"

#include <algorithm>
#include <utility>

namespace perigee::ifr {

using idlc::Access;
using idlc::as;
using idlc::Attribute;
using idlc::Constant;
using idlc::Declaration;
using idlc::DeclarationKind;
using idlc::Declarations;
using idlc::Direction;
using idlc::Enum;
using idlc::Enumerator;
using idlc::Exception;
using idlc::Factory;
using idlc::Forward;
using idlc::Interface;
using idlc::Member;
using idlc::Model;
using idlc::Module;
using idlc::Operation;
using idlc::Parameter;
using idlc::SourceFile;
using idlc::StateMember;
using idlc::Struct;
using idlc::Typedef;
using idlc::Union;
using idlc::UnionBranch;
using idlc::Value;
using idlc::ValueBox;
using idlc::ValueType;

namespace {

template <typename T, typename From>
CORBA::object_reference<T> cast(const CORBA::object_reference<From>& from) {
  return IDL::traits<T>::unchecked_narrow(from);
}

/// "2.1" of "IDL:Stock:2.1"; "1.0" if the id has no version.
std::string version_of(const std::string& id) {
  const std::size_t colon = id.rfind(':');
  const bool has_version = id.starts_with("IDL:") && colon > 3 && colon + 1 < id.size();
  return has_version ? id.substr(colon + 1) : "1.0";
}

/// The id of a state member, for which the front end has no declaration.
std::string member_id(const Declaration& owner, const std::string& name) {
  const std::size_t colon = owner.repository_id.rfind(':');
  if (!owner.repository_id.starts_with("IDL:") || colon <= 3)
    return owner.repository_id + "/" + name;
  return owner.repository_id.substr(0, colon) + "/" + name + owner.repository_id.substr(colon);
}

CORBA::ParameterMode mode_of(Direction direction) {
  switch (direction) {
    case Direction::in:
      return CORBA::ParameterMode::PARAM_IN;
    case Direction::out:
      return CORBA::ParameterMode::PARAM_OUT;
    default:
      return CORBA::ParameterMode::PARAM_INOUT;
  }
}

/// The members of a struct; the members of its bases come first.
std::vector<Member> all_members(const Struct& structure) {
  std::vector<Member> result;
  if (structure.base != nullptr) result = all_members(*structure.base);
  result.insert(result.end(), structure.members.begin(), structure.members.end());
  return result;
}

CORBA::object_reference<CORBA::TypeCode> unaliased(CORBA::object_reference<CORBA::TypeCode> type) {
  while (type->kind() == CORBA::TCKind::tk_alias) type = type->content_type();
  return type;
}

/// The declaration itself. For a forward declaration, the declaration that it announces.
const Declaration& definition_of(const Declaration& declaration) {
  const auto* forward = as<Forward>(&declaration);
  return forward != nullptr ? *forward->declared : declaration;
}

}  // namespace

Loader::Loader(Ref<CORBA::ORB> orb, Ref<CORBA::Repository> repository)
    : orb_(std::move(orb)), repository_(std::move(repository)) {}

void Loader::load(const Model& model) { load_all(model.definitions); }

void Loader::load_all(const Declarations& declarations) {
  for (const Declaration* declaration : declarations) {
    const SourceFile* file = declaration->location.file;
    if (file != nullptr && file->is_builtin) continue;
    if (declaration->kind == DeclarationKind::enumerator) continue;  // a part of its enum
    (void)ensure(definition_of(*declaration));
    if (const auto* module = as<Module>(declaration)) load_all(module->contents);
    if (const auto* interface = as<Interface>(declaration)) complete_interface(*interface);
  }
}

CORBA::object_reference<CORBA::Contained> Loader::ensure(const Declaration& declaration) {
  if (const auto known = known_.find(declaration.repository_id); known != known_.end())
    return known->second;
  try {
    Ref<CORBA::Contained> found = repository_->lookup_id(declaration.repository_id);
    const bool is_new = !found;
    if (is_new) found = create(declaration);
    if (!found)  // JacORB's repository returns nil, because it cannot be written
      throw Refused(describe(declaration.location) + ": the repository has not made '" +
                    declaration.scoped_name + "'; use a repository that supports writing");
    // The id is known by now if a definition that `declaration` needs has added and completed
    // `declaration`.
    if (!known_.emplace(declaration.repository_id, found).second) return found;
    ++(is_new ? counts_.added : counts_.present);
    complete(declaration, is_new);
    return found;
  } catch (const CORBA::SystemException& error) {
    throw Refused(describe(declaration.location) + ": the repository refuses '" +
                  declaration.scoped_name + "': " + error.what());
  }
}

CORBA::object_reference<CORBA::Container> Loader::container_of(const Declaration& declaration) {
  if (declaration.parent == nullptr) return repository_;
  return cast<CORBA::Container>(ensure(*declaration.parent));
}

CORBA::object_reference<CORBA::Contained> Loader::create(const Declaration& declaration) {
  const Ref<CORBA::Container> container = container_of(declaration);
  require_used(declaration);
  const auto known = known_.find(declaration.repository_id);
  return known != known_.end() ? known->second : create_in(container, declaration);
}

void Loader::require_used(const Declaration& declaration) {
  if (const auto* value = as<ValueType>(&declaration)) {
    for (const ValueType* base : value->bases) (void)ensure(*base);
    for (const Interface* supported : value->supports) (void)ensure(*supported);
  }
  if (const auto* interface = as<Interface>(&declaration))
    for (const Interface* base : interface->bases) (void)ensure(*base);
  if (const auto* constant = as<Constant>(&declaration)) require(*constant->type);
  if (const auto* declared = as<Union>(&declaration)) require(*declared->discriminator);
  if (const auto* alias = as<Typedef>(&declaration)) require(*alias->type);
  if (const auto* box = as<ValueBox>(&declaration)) require(*box->type);
}

CORBA::object_reference<CORBA::Contained> Loader::create_in(const Ref<CORBA::Container>& container,
                                                            const Declaration& declaration) {
  const std::string& id = declaration.repository_id;
  const std::string& name = declaration.name;
  const std::string version = version_of(id);
  if (const auto* interface = as<Interface>(&declaration))
    return create_interface(container, *interface);
  if (const auto* value = as<ValueType>(&declaration)) return create_value(container, *value);
  if (const auto* constant = as<Constant>(&declaration))
    return create_constant(container, *constant);
  switch (declaration.kind) {
    case DeclarationKind::module:
      return container->create_module(id, name, version);
    case DeclarationKind::exception:
      return container->create_exception(id, name, version, {});
    case DeclarationKind::structure:
      return container->create_struct(id, name, version, {});
    case DeclarationKind::union_type: {
      const auto& declared = *as<Union>(&declaration);
      return container->create_union(id, name, version,
                                     type_of(*declared.discriminator, declared.location), {});
    }
    case DeclarationKind::enumeration: {
      CORBA::EnumMemberSeq members;
      for (const Enumerator* one : as<Enum>(&declaration)->enumerators)
        members.push_back(one->name);
      return container->create_enum(id, name, version, members);
    }
    case DeclarationKind::type_definition:
      return container->create_alias(
          id, name, version, type_of(*as<Typedef>(&declaration)->type, declaration.location));
    case DeclarationKind::value_box:
      return container->create_value_box(
          id, name, version, type_of(*as<ValueBox>(&declaration)->type, declaration.location));
    case DeclarationKind::native:
      return container->create_native(id, name, version);
    default:
      throw NotDescribed(describe(declaration.location) + ": the repository cannot describe '" +
                         declaration.scoped_name + "'; remove bitmasks, bitsets and components");
  }
}

CORBA::object_reference<CORBA::Contained> Loader::create_interface(
    const Ref<CORBA::Container>& container, const Interface& declared) {
  const std::string& id = declared.repository_id;
  if (declared.is_component)
    throw NotDescribed(describe(declared.location) +
                       ": the repository cannot describe component '" + declared.scoped_name +
                       "'; remove it");
  const std::string version = version_of(id);
  if (declared.is_abstract)
    return container->create_abstract_interface(id, declared.name, version,
                                                all<CORBA::AbstractInterfaceDef>(declared.bases));
  const auto bases = all<CORBA::InterfaceDef>(declared.bases);
  if (declared.is_local)
    return container->create_local_interface(id, declared.name, version, bases);
  return container->create_interface(id, declared.name, version, bases);
}

CORBA::object_reference<CORBA::Contained> Loader::create_value(
    const Ref<CORBA::Container>& container, const ValueType& declared) {
  const std::string& id = declared.repository_id;
  Ref<CORBA::ValueDef> base;
  std::vector<const ValueType*> abstract_bases = declared.bases;
  if (!abstract_bases.empty() && !abstract_bases.front()->is_abstract) {
    base = cast<CORBA::ValueDef>(ensure(*abstract_bases.front()));
    abstract_bases.erase(abstract_bases.begin());
  }
  return container->create_value(id, declared.name, version_of(id), declared.is_custom,
                                 declared.is_abstract, base, declared.is_truncatable,
                                 all<CORBA::ValueDef>(abstract_bases),
                                 all<CORBA::InterfaceDef>(declared.supports), {});
}

CORBA::object_reference<CORBA::Contained> Loader::create_constant(
    const Ref<CORBA::Container>& container, const Constant& declared) {
  const Ref<CORBA::IDLType> type = type_of(*declared.type, declared.location);
  const CORBA::Any value = any_of(orb_, declared.value, unaliased(type->type()));
  const std::string& id = declared.repository_id;
  return container->create_constant(id, declared.name, version_of(id), type, value);
}

void Loader::complete(const Declaration& declaration, bool is_new) {
  if (const auto* value = as<ValueType>(&declaration)) return complete_value(*value, is_new);
  if (!is_new) return;
  if (const auto* structure = as<Struct>(&declaration)) {
    load_all(structure->nested);
    const CORBA::StructMemberSeq members = members_of(all_members(*structure));
    cast<CORBA::StructDef>(ensure(declaration))->members(members);
  }
  if (const auto* exception = as<Exception>(&declaration)) {
    load_all(exception->nested);
    const CORBA::StructMemberSeq members = members_of(exception->members);
    if (!members.empty()) cast<CORBA::ExceptionDef>(ensure(declaration))->members(members);
  }
  if (const auto* declared = as<Union>(&declaration)) complete_union(*declared);
}

void Loader::complete_union(const Union& declared) {
  load_all(declared.nested);
  const auto definition = cast<CORBA::UnionDef>(ensure(declared));
  const auto discriminator = unaliased(definition->discriminator_type());
  CORBA::UnionMemberSeq members;
  for (const UnionBranch& branch : declared.branches) {
    const auto type = type_of(*branch.member.type, branch.member.location);
    const auto add = [&](const CORBA::Any& label) {
      members.emplace_back(branch.member.name, label, CORBA::_tc_void, type);
    };
    for (const Value& label : branch.labels) add(any_of(orb_, label, discriminator));
    if (!branch.is_default) continue;
    CORBA::Any otherwise;
    otherwise <<= std::uint8_t{0};
    add(otherwise);
  }
  definition->members(members);
}

void Loader::complete_interface(const Interface& declared) {
  if (!declared.is_defined) return;
  const auto definition = cast<CORBA::InterfaceDef>(ensure(declared));
  if (!declared.bases.empty() && definition->base_interfaces().empty())
    definition->base_interfaces(all<CORBA::InterfaceDef>(declared.bases));
  for (const Declaration* content : declared.contents) {
    if (const auto* attribute = as<Attribute>(content)) {
      add_attribute(declared, *attribute);
    } else if (const auto* operation = as<Operation>(content)) {
      add_operation(declared, *operation);
    } else {
      load_all({content});
    }
  }
}

void Loader::complete_value(const ValueType& declared, bool is_new) {
  if (!declared.is_defined) return;
  std::vector<const Factory*> factories;
  for (const Declaration* content : declared.contents) {
    if (const auto* attribute = as<Attribute>(content)) {
      add_attribute(declared, *attribute);
    } else if (const auto* operation = as<Operation>(content)) {
      add_operation(declared, *operation);
    } else if (const auto* factory = as<Factory>(content)) {
      factories.push_back(factory);
    } else {
      load_all({content});
    }
  }
  for (const StateMember& state : declared.state) add_state(declared, state);
  if (!is_new || factories.empty()) return;
  CORBA::ExtInitializerSeq initializers;
  for (const Factory* factory : factories) {
    CORBA::ExcDescriptionSeq exceptions;
    for (const auto& exception : exceptions_of(factory->raises))
      exceptions.emplace_back(exception->name(), exception->id(), "", exception->version(),
                              exception->type());
    initializers.emplace_back(members_of(factory->parameters), exceptions, factory->name);
  }
  cast<CORBA::ExtValueDef>(ensure(declared))->ext_initializers(initializers);
}

bool Loader::is_present(const std::string& id) {
  const bool result = static_cast<bool>(repository_->lookup_id(id));
  ++(result ? counts_.present : counts_.added);
  return result;
}

void Loader::add_attribute(const Declaration& owner, const Attribute& declared) {
  const std::string& id = declared.repository_id;
  if (is_present(id)) return;
  const auto type = type_of(*declared.type, declared.location);
  const auto mode = declared.is_readonly ? CORBA::AttributeMode::ATTR_READONLY
                                         : CORBA::AttributeMode::ATTR_NORMAL;
  const auto definition = ensure(owner);
  const std::string version = version_of(id);
  if (declared.get_raises.empty() && declared.set_raises.empty()) {
    // `create_attribute` is the same operation for interfaces and for valuetypes.
    (void)cast<CORBA::InterfaceDef>(definition)
        ->create_attribute(id, declared.name, version, type, mode);
    return;
  }
  (void)cast<CORBA::InterfaceAttrExtension>(definition)
      ->create_ext_attribute(id, declared.name, version, type, mode,
                             exceptions_of(declared.get_raises),
                             exceptions_of(declared.set_raises));
}

void Loader::add_operation(const Declaration& owner, const Operation& declared) {
  const std::string& id = declared.repository_id;
  if (is_present(id)) return;
  CORBA::ParDescriptionSeq parameters;
  for (const Parameter& one : declared.parameters)
    parameters.emplace_back(one.name, CORBA::_tc_void, type_of(*one.type, one.location),
                            mode_of(one.direction));
  const auto mode =
      declared.is_oneway ? CORBA::OperationMode::OP_ONEWAY : CORBA::OperationMode::OP_NORMAL;
  (void)cast<CORBA::InterfaceDef>(ensure(owner))
      ->create_operation(id, declared.name, version_of(id),
                         type_of(*declared.return_type, declared.location), mode, parameters,
                         exceptions_of(declared.raises), declared.contexts);
}

void Loader::add_state(const ValueType& owner, const StateMember& declared) {
  const std::string id = member_id(owner, declared.member.name);
  if (is_present(id)) return;
  const auto access =
      declared.access == Access::public_state ? CORBA::PUBLIC_MEMBER : CORBA::PRIVATE_MEMBER;
  (void)cast<CORBA::ValueDef>(ensure(owner))
      ->create_value_member(id, declared.member.name, version_of(id),
                            type_of(*declared.member.type, declared.member.location), access);
}

CORBA::StructMemberSeq Loader::members_of(const std::vector<Member>& members) {
  CORBA::StructMemberSeq result;
  for (const Member& one : members)
    result.emplace_back(one.name, CORBA::_tc_void, type_of(*one.type, one.location));
  return result;
}

CORBA::StructMemberSeq Loader::members_of(const std::vector<Parameter>& parameters) {
  CORBA::StructMemberSeq result;
  for (const Parameter& one : parameters)
    result.emplace_back(one.name, CORBA::_tc_void, type_of(*one.type, one.location));
  return result;
}

CORBA::ExceptionDefSeq Loader::exceptions_of(const std::vector<const Exception*>& exceptions) {
  return all<CORBA::ExceptionDef>(exceptions);
}

template <typename T, typename Declared>
std::vector<CORBA::object_reference<T>> Loader::all(
    const std::vector<const Declared*>& declarations) {
  std::vector<Ref<T>> result;
  for (const Declared* one : declarations) result.push_back(cast<T>(ensure(*one)));
  return result;
}

}  // namespace perigee::ifr
