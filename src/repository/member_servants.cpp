// Constants, exceptions, attributes, operations and members of valuetypes.
#include "repository/member_servants.h"

#include "repository/description.h"

namespace perigee::repository {

template <typename Skeleton>
Ref<CORBA::TypeCode> TypedServant<Skeleton>::type() {
  const Access access = reading();
  return type_code(access.store(), *access->type);
}
template <typename Skeleton>
Ref<CORBA::IDLType> TypedServant<Skeleton>::type_def() {
  const Access access = reading();
  return access.shared().template reference<CORBA::IDLType>(access->type);
}
template <typename Skeleton>
void TypedServant<Skeleton>::type_def(Ref<CORBA::IDLType> value) {
  const Access access = writing();
  access.change([&](Definition& changed) { changed.type = &type_of(access, value); });
}
template class TypedServant<POA::CORBA::ConstantDef>;
template class TypedServant<POA::CORBA::ExtAttributeDef>;
template class TypedServant<POA::CORBA::ValueMemberDef>;

CORBA::Any ConstantServant::value() { return reading()->value; }
void ConstantServant::value(const CORBA::Any& value) {
  const Access access = writing();
  access.change([&](Definition& changed) { set_value(access, changed, value); });
}

Ref<CORBA::TypeCode> ExceptionServant::type() {
  const Access access = reading();
  return type_code(access.store(), *access);
}
CORBA::StructMemberSeq ExceptionServant::members() {
  const Access access = reading();
  return struct_members(access, access->parts);
}
void ExceptionServant::members(const CORBA::StructMemberSeq& value) {
  const Access access = writing();
  access.change([&](Definition& changed) { changed.parts = parts_of(access, value); });
}

CORBA::AttributeMode AttributeServant::mode() {
  return reading()->is_readonly ? CORBA::AttributeMode::ATTR_READONLY
                                : CORBA::AttributeMode::ATTR_NORMAL;
}
void AttributeServant::mode(CORBA::AttributeMode value) {
  writing().change([value](Definition& changed) {
    changed.is_readonly = value == CORBA::AttributeMode::ATTR_READONLY;
  });
}
CORBA::ExcDescriptionSeq AttributeServant::get_exceptions() {
  const Access access = reading();
  return exception_descriptions(access, access->exceptions);
}
void AttributeServant::get_exceptions(const CORBA::ExcDescriptionSeq& value) {
  const Access access = writing();
  access.change([&](Definition& changed) { changed.exceptions = exceptions_of(access, value); });
}
CORBA::ExcDescriptionSeq AttributeServant::set_exceptions() {
  const Access access = reading();
  return exception_descriptions(access, access->writing_exceptions);
}
void AttributeServant::set_exceptions(const CORBA::ExcDescriptionSeq& value) {
  const Access access = writing();
  access.change(
      [&](Definition& changed) { changed.writing_exceptions = exceptions_of(access, value); });
}
CORBA::ExtAttributeDescription AttributeServant::describe_attribute() {
  const Access access = reading();
  return ext_attribute_description(access, *access);
}

Ref<CORBA::TypeCode> OperationServant::result() {
  const Access access = reading();
  return type_code(access.store(), *access->type);
}
Ref<CORBA::IDLType> OperationServant::result_def() {
  const Access access = reading();
  return access.shared().reference<CORBA::IDLType>(access->type);
}
void OperationServant::result_def(Ref<CORBA::IDLType> value) {
  const Access access = writing();
  access.change([&](Definition& changed) { changed.type = &type_of(access, value); });
}
CORBA::ParDescriptionSeq OperationServant::params() {
  const Access access = reading();
  return parameters(access, access->parts);
}
void OperationServant::params(const CORBA::ParDescriptionSeq& value) {
  const Access access = writing();
  access.change([&](Definition& changed) { changed.parts = parts_of(access, value); });
}
CORBA::OperationMode OperationServant::mode() {
  return reading()->is_oneway ? CORBA::OperationMode::OP_ONEWAY : CORBA::OperationMode::OP_NORMAL;
}
void OperationServant::mode(CORBA::OperationMode value) {
  writing().change([value](Definition& changed) {
    changed.is_oneway = value == CORBA::OperationMode::OP_ONEWAY;
  });
}
CORBA::ContextIdSeq OperationServant::contexts() { return reading()->names; }
void OperationServant::contexts(const CORBA::ContextIdSeq& value) {
  writing().change([&](Definition& changed) { changed.names = value; });
}
CORBA::ExceptionDefSeq OperationServant::exceptions() {
  const Access access = reading();
  return references<CORBA::ExceptionDef>(access, access->exceptions);
}
void OperationServant::exceptions(const CORBA::ExceptionDefSeq& value) {
  const Access access = writing();
  access.change([&](Definition& changed) { changed.exceptions = exceptions_of(access, value); });
}

std::int16_t ValueMemberServant::access() { return reading()->access; }
void ValueMemberServant::access(std::int16_t value) {
  if (value != CORBA::PRIVATE_MEMBER && value != CORBA::PUBLIC_MEMBER)
    raise_bad_param(0, "the visibility is neither PRIVATE_MEMBER nor PUBLIC_MEMBER");
  writing().change([value](Definition& changed) { changed.access = value; });
}

}  // namespace perigee::repository
