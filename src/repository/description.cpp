// Makes the results of describe, describe_interface and describe_value.
#include "repository/description.h"

#include <perigee/repository/InterfaceRepositoryA.h>

namespace perigee::repository {

namespace {

template <typename Struct>
CORBA::Any any_of(Struct value) {
  CORBA::Any result;
  result <<= std::move(value);
  return result;
}

/// Converts all contents of the kind, inherited contents included.
template <typename Result, typename Convert>
Result converted(const Access& access, const Definition& definition, Kind kind, Convert convert) {
  Result result;
  for (const Definition* one : access.store().contents(definition, kind, true))
    result.push_back(convert(access, *one));
  return result;
}

CORBA::Any constant_description(const Access& access, const Definition& constant) {
  return any_of(CORBA::ConstantDescription(
      constant.name, constant.id, container_id(constant), constant.version,
      type_code(access.store(), *constant.type), constant.value));
}

CORBA::Any value_description(const Definition& value) {
  return any_of(CORBA::ValueDescription(
      value.name, value.id, value.is_abstract, value.is_custom, container_id(value), value.version,
      ids_of(value.supported), ids_of(value.bases), value.is_truncatable,
      value.base_value == nullptr ? std::string() : value.base_value->id));
}

}  // namespace

CORBA::AttributeDescription attribute_description(const Access& access,
                                                  const Definition& attribute) {
  return CORBA::AttributeDescription(attribute.name, attribute.id, container_id(attribute),
                                     attribute.version, type_code(access.store(), *attribute.type),
                                     attribute.is_readonly ? CORBA::AttributeMode::ATTR_READONLY
                                                           : CORBA::AttributeMode::ATTR_NORMAL);
}

CORBA::ExtAttributeDescription ext_attribute_description(const Access& access,
                                                         const Definition& attribute) {
  return CORBA::ExtAttributeDescription(
      attribute.name, attribute.id, container_id(attribute), attribute.version,
      type_code(access.store(), *attribute.type),
      attribute.is_readonly ? CORBA::AttributeMode::ATTR_READONLY
                            : CORBA::AttributeMode::ATTR_NORMAL,
      exception_descriptions(access, attribute.exceptions),
      exception_descriptions(access, attribute.writing_exceptions));
}

CORBA::OperationDescription operation_description(const Access& access,
                                                  const Definition& operation) {
  return CORBA::OperationDescription(
      operation.name, operation.id, container_id(operation), operation.version,
      type_code(access.store(), *operation.type),
      operation.is_oneway ? CORBA::OperationMode::OP_ONEWAY : CORBA::OperationMode::OP_NORMAL,
      operation.names, parameters(access, operation.parts),
      exception_descriptions(access, operation.exceptions));
}

CORBA::ValueMember value_member(const Access& access, const Definition& member) {
  return CORBA::ValueMember(member.name, member.id, container_id(member), member.version,
                            type_code(access.store(), *member.type),
                            access.shared().reference<CORBA::IDLType>(member.type), member.access);
}

CORBA::OpDescriptionSeq all_operations(const Access& access, const Definition& definition) {
  return converted<CORBA::OpDescriptionSeq>(access, definition, Kind::dk_Operation,
                                            operation_description);
}

CORBA::AttrDescriptionSeq all_attributes(const Access& access, const Definition& definition) {
  return converted<CORBA::AttrDescriptionSeq>(access, definition, Kind::dk_Attribute,
                                              attribute_description);
}

CORBA::ExtAttrDescriptionSeq all_ext_attributes(const Access& access,
                                                const Definition& definition) {
  return converted<CORBA::ExtAttrDescriptionSeq>(access, definition, Kind::dk_Attribute,
                                                 ext_attribute_description);
}

CORBA::ValueMemberSeq all_members(const Access& access, const Definition& definition) {
  return converted<CORBA::ValueMemberSeq>(access, definition, Kind::dk_ValueMember, value_member);
}

CORBA::Any description(const Access& access, Definition& definition) {
  const std::string container = container_id(definition);
  switch (definition.kind) {
    case Kind::dk_Module:
      return any_of(
          CORBA::ModuleDescription(definition.name, definition.id, container, definition.version));
    case Kind::dk_Constant:
      return constant_description(access, definition);
    case Kind::dk_Exception:
      return any_of(CORBA::ExceptionDescription(definition.name, definition.id, container,
                                                definition.version,
                                                type_code(access.store(), definition)));
    case Kind::dk_Attribute:
      return any_of(attribute_description(access, definition));
    case Kind::dk_Operation:
      return any_of(operation_description(access, definition));
    case Kind::dk_Interface:
    case Kind::dk_AbstractInterface:
    case Kind::dk_LocalInterface:
      return any_of(CORBA::InterfaceDescription(definition.name, definition.id, container,
                                                definition.version, ids_of(definition.bases)));
    case Kind::dk_Value:
      return value_description(definition);
    case Kind::dk_ValueMember:
      return any_of(value_member(access, definition));
    default:
      return any_of(CORBA::TypeDescription(definition.name, definition.id, container,
                                           definition.version,
                                           type_code(access.store(), definition)));
  }
}

CORBA::Any possible_description(const Access& access, Definition& definition) {
  try {
    return description(access, definition);
  } catch (const CORBA::SystemException&) {
    return {};
  }
}

}  // namespace perigee::repository
