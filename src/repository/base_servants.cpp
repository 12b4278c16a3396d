// IRObject, IDLType and Contained.
#include "repository/base_servants.h"

#include "repository/description.h"

namespace perigee::repository {

CORBA::DefinitionKind ObjectServant::def_kind() { return reading()->kind; }

void ObjectServant::destroy() {
  const Access access = writing();
  access.store().destroy(*access);
}

Ref<CORBA::TypeCode> TypeServant::type() {
  const Access access = reading();
  return type_code(access.store(), *access);
}

std::string ContainedServant::id() { return reading()->id; }
void ContainedServant::id(const std::string& value) {
  const Access access = writing();
  access.store().set_id(*access, value);
}

std::string ContainedServant::name() { return reading()->name; }
void ContainedServant::name(const std::string& value) {
  const Access access = writing();
  access.store().set_name(*access, value);
}

std::string ContainedServant::version() { return reading()->version; }
void ContainedServant::version(const std::string& value) {
  const Access access = writing();
  access.store().set_version(*access, value);
}

Ref<CORBA::Container> ContainedServant::defined_in() {
  const Access access = reading();
  return access.shared().reference<CORBA::Container>(access->container);
}

std::string ContainedServant::absolute_name() { return repository::absolute_name(*reading()); }

Ref<CORBA::Repository> ContainedServant::containing_repository() {
  const Access access = reading();
  return access.shared().reference<CORBA::Repository>(&access.store().root());
}

CORBA::Contained::Description ContainedServant::describe() {
  const Access access = reading();
  return CORBA::Contained::Description(access->kind, description(access, *access));
}

void ContainedServant::move(Ref<CORBA::Container> new_container, const std::string& new_name,
                            const std::string& new_version) {
  const Access access = writing();
  Definition& container = access.shared().definition(new_container);
  access.move(container, {access->id, new_name, new_version});
}

}  // namespace perigee::repository
