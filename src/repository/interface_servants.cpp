// The servants of definitions of interfaces and valuetypes.
#include "repository/interface_servants.h"

#include "repository/description.h"

#include <algorithm>

namespace perigee::repository {

namespace {

/// Whether the id is that of the base that all definitions of the kind have. CORBA 3.0, 10.5.23 to
/// 10.5.28.
bool is_common_base(Kind kind, const std::string& id) {
  const bool is_object = id == CORBA::Object::_type_id;
  switch (kind) {
    case Kind::dk_Value:
      return id == "IDL:omg.org/CORBA/ValueBase:1.0";
    case Kind::dk_AbstractInterface:
      return id == "IDL:omg.org/CORBA/AbstractBase:1.0";
    case Kind::dk_LocalInterface:
      return is_object || id == "IDL:omg.org/CORBA/LocalObject:1.0";
    default:
      return is_object;
  }
}

std::string base_value_id(const Definition& value) {
  return value.base_value == nullptr ? std::string() : value.base_value->id;
}

}  // namespace

template <typename Skeleton>
Ref<CORBA::ExtAttributeDef> MembersServant<Skeleton>::add_attribute(const NewName& name,
                                                                    const AttributeParts& parts) {
  return this->template create<CORBA::ExtAttributeDef>(
      Kind::dk_Attribute, name, [&](const Access& access, Definition& made) {
        made.type = &type_of(access, parts.type);
        made.is_readonly = parts.mode == CORBA::AttributeMode::ATTR_READONLY;
        made.exceptions = exceptions_of(access, parts.get_exceptions);
        made.writing_exceptions = exceptions_of(access, parts.set_exceptions);
      });
}

template <typename Skeleton>
Ref<CORBA::OperationDef> MembersServant<Skeleton>::add_operation(const NewName& name,
                                                                 const OperationParts& parts) {
  return this->template create<CORBA::OperationDef>(
      Kind::dk_Operation, name, [&](const Access& access, Definition& made) {
        made.type = &type_of(access, parts.result);
        made.is_oneway = parts.mode == CORBA::OperationMode::OP_ONEWAY;
        made.parts = parts_of(access, parts.params);
        made.exceptions = exceptions_of(access, parts.exceptions);
        made.names = parts.contexts;
      });
}

template <typename Skeleton>
bool MembersServant<Skeleton>::is_derived(const std::string& id) {
  const Access access = this->reading();
  if (id == access->id || is_common_base(access->kind, id)) return true;
  // An interface has AbstractBase if one of its bases is abstract.
  return std::ranges::any_of(all_bases(*access), [&](const Definition* base) {
    const bool is_abstract = base->kind == Kind::dk_AbstractInterface;
    return id == base->id || (is_abstract && is_common_base(base->kind, id));
  });
}

template class MembersServant<POA::CORBA::ExtValueDef>;

template <typename Skeleton>
CORBA::InterfaceDefSeq InterfaceServant<Skeleton>::base_interfaces() {
  const Access access = this->reading();
  return references<CORBA::InterfaceDef>(access, access->bases);
}

template <typename Skeleton>
void InterfaceServant<Skeleton>::base_interfaces(const CORBA::InterfaceDefSeq& value) {
  const Access access = this->writing();
  access.change(
      [&](Definition& changed) { changed.bases = interface_bases(access, changed.kind, value); });
}

template <typename Skeleton>
bool InterfaceServant<Skeleton>::is_a(const std::string& interface_id) {
  return this->is_derived(interface_id);
}

template <typename Skeleton>
CORBA::InterfaceDef::FullInterfaceDescription InterfaceServant<Skeleton>::describe_interface() {
  const Access access = this->reading();
  return CORBA::InterfaceDef::FullInterfaceDescription(
      access->name, access->id, container_id(*access), access->version,
      all_operations(access, *access), all_attributes(access, *access), ids_of(access->bases),
      type_code(access.store(), *access));
}

template <typename Skeleton>
CORBA::InterfaceAttrExtension::ExtFullInterfaceDescription
InterfaceServant<Skeleton>::describe_ext_interface() {
  const Access access = this->reading();
  return CORBA::InterfaceAttrExtension::ExtFullInterfaceDescription(
      access->name, access->id, container_id(*access), access->version,
      all_operations(access, *access), all_ext_attributes(access, *access), ids_of(access->bases),
      type_code(access.store(), *access));
}

template <typename Skeleton>
Ref<CORBA::AttributeDef> InterfaceServant<Skeleton>::create_attribute(const std::string& id,
                                                                      const std::string& name,
                                                                      const std::string& version,
                                                                      Ref<CORBA::IDLType> type,
                                                                      CORBA::AttributeMode mode) {
  return this->add_attribute({id, name, version}, {std::move(type), mode, {}, {}});
}

template <typename Skeleton>
Ref<CORBA::ExtAttributeDef> InterfaceServant<Skeleton>::create_ext_attribute(
    const std::string& id, const std::string& name, const std::string& version,
    Ref<CORBA::IDLType> type, CORBA::AttributeMode mode,
    const CORBA::ExceptionDefSeq& get_exceptions, const CORBA::ExceptionDefSeq& set_exceptions) {
  return this->add_attribute({id, name, version},
                             {std::move(type), mode, get_exceptions, set_exceptions});
}

template <typename Skeleton>
Ref<CORBA::OperationDef> InterfaceServant<Skeleton>::create_operation(
    const std::string& id, const std::string& name, const std::string& version,
    Ref<CORBA::IDLType> result, CORBA::OperationMode mode, const CORBA::ParDescriptionSeq& params,
    const CORBA::ExceptionDefSeq& exceptions, const CORBA::ContextIdSeq& contexts) {
  return this->add_operation({id, name, version},
                             {std::move(result), mode, params, exceptions, contexts});
}

template class InterfaceServant<POA::CORBA::ExtInterfaceDef>;
template class InterfaceServant<POA::CORBA::ExtAbstractInterfaceDef>;
template class InterfaceServant<POA::CORBA::ExtLocalInterfaceDef>;

CORBA::InterfaceDefSeq ValueServant::supported_interfaces() {
  const Access access = reading();
  return references<CORBA::InterfaceDef>(access, access->supported);
}
void ValueServant::supported_interfaces(const CORBA::InterfaceDefSeq& value) {
  const Access access = writing();
  access.change([&](Definition& changed) { set_supported(access, changed, value); });
}

CORBA::InitializerSeq ValueServant::initializers() {
  const Access access = reading();
  return repository::initializers(access, *access);
}
void ValueServant::initializers(const CORBA::InitializerSeq& value) {
  const Access access = writing();
  access.change([&](Definition& changed) { changed.creators = creators_of(access, value); });
}

CORBA::ExtInitializerSeq ValueServant::ext_initializers() {
  const Access access = reading();
  return repository::ext_initializers(access, *access);
}
void ValueServant::ext_initializers(const CORBA::ExtInitializerSeq& value) {
  const Access access = writing();
  access.change([&](Definition& changed) { changed.creators = creators_of(access, value); });
}

Ref<CORBA::ValueDef> ValueServant::base_value() {
  const Access access = reading();
  return access.shared().reference<CORBA::ValueDef>(access->base_value);
}
void ValueServant::base_value(Ref<CORBA::ValueDef> value) {
  const Access access = writing();
  access.change([&](Definition& changed) { set_base_value(access, changed, value); });
}

CORBA::ValueDefSeq ValueServant::abstract_base_values() {
  const Access access = reading();
  return references<CORBA::ValueDef>(access, access->bases);
}
void ValueServant::abstract_base_values(const CORBA::ValueDefSeq& value) {
  const Access access = writing();
  access.change([&](Definition& changed) { set_abstract_bases(access, changed, value); });
}

bool ValueServant::is_abstract() { return reading()->is_abstract; }
void ValueServant::is_abstract(bool value) {
  writing().change([value](Definition& changed) { changed.is_abstract = value; });
}
bool ValueServant::is_custom() { return reading()->is_custom; }
void ValueServant::is_custom(bool value) {
  writing().change([value](Definition& changed) { changed.is_custom = value; });
}
bool ValueServant::is_truncatable() { return reading()->is_truncatable; }
void ValueServant::is_truncatable(bool value) {
  writing().change([value](Definition& changed) { changed.is_truncatable = value; });
}

bool ValueServant::is_a(const std::string& id) { return is_derived(id); }

CORBA::ValueDef::FullValueDescription ValueServant::describe_value() {
  const Access access = reading();
  const Definition& value = *access;
  return CORBA::ValueDef::FullValueDescription(
      value.name, value.id, value.is_abstract, value.is_custom, container_id(value), value.version,
      all_operations(access, value), all_attributes(access, value), all_members(access, value),
      repository::initializers(access, value), ids_of(value.supported), ids_of(value.bases),
      value.is_truncatable, base_value_id(value), type_code(access.store(), *access));
}

CORBA::ExtValueDef::ExtFullValueDescription ValueServant::describe_ext_value() {
  const Access access = reading();
  const Definition& value = *access;
  return CORBA::ExtValueDef::ExtFullValueDescription(
      value.name, value.id, value.is_abstract, value.is_custom, container_id(value), value.version,
      all_operations(access, value), all_ext_attributes(access, value), all_members(access, value),
      repository::ext_initializers(access, value), ids_of(value.supported), ids_of(value.bases),
      value.is_truncatable, base_value_id(value), type_code(access.store(), *access));
}

Ref<CORBA::ValueMemberDef> ValueServant::create_value_member(const std::string& id,
                                                             const std::string& name,
                                                             const std::string& version,
                                                             Ref<CORBA::IDLType> type,
                                                             std::int16_t access) {
  if (access != CORBA::PRIVATE_MEMBER && access != CORBA::PUBLIC_MEMBER)
    raise_bad_param(0, "the visibility is neither PRIVATE_MEMBER nor PUBLIC_MEMBER");
  return create<CORBA::ValueMemberDef>(Kind::dk_ValueMember, {id, name, version},
                                       [&](const Access& request, Definition& made) {
                                         made.type = &type_of(request, type);
                                         made.access = access;
                                       });
}

Ref<CORBA::AttributeDef> ValueServant::create_attribute(const std::string& id,
                                                        const std::string& name,
                                                        const std::string& version,
                                                        Ref<CORBA::IDLType> type,
                                                        CORBA::AttributeMode mode) {
  return add_attribute({id, name, version}, {std::move(type), mode, {}, {}});
}

Ref<CORBA::ExtAttributeDef> ValueServant::create_ext_attribute(
    const std::string& id, const std::string& name, const std::string& version,
    Ref<CORBA::IDLType> type, CORBA::AttributeMode mode,
    const CORBA::ExceptionDefSeq& get_exceptions, const CORBA::ExceptionDefSeq& set_exceptions) {
  return add_attribute({id, name, version},
                       {std::move(type), mode, get_exceptions, set_exceptions});
}

Ref<CORBA::OperationDef> ValueServant::create_operation(
    const std::string& id, const std::string& name, const std::string& version,
    Ref<CORBA::IDLType> result, CORBA::OperationMode mode, const CORBA::ParDescriptionSeq& params,
    const CORBA::ExceptionDefSeq& exceptions, const CORBA::ContextIdSeq& contexts) {
  return add_operation({id, name, version},
                       {std::move(result), mode, params, exceptions, contexts});
}

}  // namespace perigee::repository
