// Finds definitions by calls to the object and to an Interface Repository: CORBA 3.0, 4.3.1.1
// (_get_interface) and 10.5.7 (Repository).
#include "remote/definition_source.h"

#include <perigee/base/printable.h>
#include <perigee/iop/ior.h>
#include <perigee/orb/exceptions.h>
#include <perigee/repository/InterfaceRepositoryA.h>

namespace perigee::tool {

namespace {

constexpr const char* remedy =
    "; name its IDL by --idl FILE, or an Interface Repository by --ifr REFERENCE";

[[noreturn]] void throw_undescribed(const std::string& reason) {
  throw DescriptionError("the object does not describe its interface: " + printable(reason) +
                         remedy);
}

std::string text_of(const CORBA::SystemException& exception) {
  return exception.detail().empty() ? exception.what() : exception.detail();
}

/// Whether the server was reached, and has no definition. Servers without Interface Repository
/// reply with one of these exceptions; which one depends on the ORB.
bool is_undescribed(const CORBA::SystemException& exception) {
  return dynamic_cast<const CORBA::INTF_REPOS*>(&exception) != nullptr ||
         dynamic_cast<const CORBA::NO_IMPLEMENT*>(&exception) != nullptr ||
         dynamic_cast<const CORBA::BAD_OPERATION*>(&exception) != nullptr ||
         dynamic_cast<const CORBA::UNKNOWN*>(&exception) != nullptr;
}

CORBA::object_reference<CORBA::Object> ask(const CORBA::Object& object) {
  try {
    return object._interface_definition();
  } catch (const CORBA::SystemException& exception) {
    if (is_undescribed(exception)) throw_undescribed(text_of(exception));
    throw;
  }
}

/// The same object as the derived interface that its reference names. Then no call has to ask
/// whether the object supports the derived interface and its bases.
CORBA::object_reference<CORBA::InterfaceDef> as_written(
    CORBA::ORB& orb, const CORBA::object_reference<CORBA::Object>& object) {
  const std::string id = written_id(orb, object);
  if (id == CORBA::ExtInterfaceDef::_type_id)
    return IDL::traits<CORBA::ExtInterfaceDef>::unchecked_narrow(object);
  if (id == CORBA::ExtAbstractInterfaceDef::_type_id)
    return IDL::traits<CORBA::ExtAbstractInterfaceDef>::unchecked_narrow(object);
  if (id == CORBA::ExtLocalInterfaceDef::_type_id)
    return IDL::traits<CORBA::ExtLocalInterfaceDef>::unchecked_narrow(object);
  return IDL::traits<CORBA::InterfaceDef>::narrow(object);
}

}  // namespace

std::string written_id(CORBA::ORB& orb, const CORBA::object_reference<CORBA::Object>& object) {
  const auto ior = iop::parse_ior_string(orb.object_to_string(object));
  return ior ? ior->type_id : std::string();
}

CORBA::object_reference<CORBA::InterfaceDef> definition_of(
    CORBA::ORB& orb, const CORBA::object_reference<CORBA::Object>& object) {
  const auto answer = ask(*object);
  if (answer == nullptr) throw_undescribed("its server returned a nil reference");
  auto interface = as_written(orb, answer);
  if (interface == nullptr) throw_undescribed("its server returned no InterfaceDef");
  return interface;
}

CORBA::object_reference<CORBA::Repository> repository_of(CORBA::InterfaceDef& interface) {
  try {
    return interface.containing_repository();
  } catch (const CORBA::SystemException& exception) {
    const bool is_gone = dynamic_cast<const CORBA::OBJECT_NOT_EXIST*>(&exception) != nullptr;
    if (!is_gone && !is_undescribed(exception)) throw;
    return nullptr;  // the description of the interface has its types, too
  }
}

CORBA::object_reference<CORBA::Repository> repository_at(
    const CORBA::object_reference<CORBA::Object>& object) {
  auto repository = IDL::traits<CORBA::Repository>::narrow(object);
  if (repository == nullptr)
    throw DescriptionError(
        "--ifr: the object is not an Interface Repository; perigee-ifr prints the reference of "
        "one");
  return repository;
}

CORBA::object_reference<CORBA::InterfaceDef> find_interface(
    const CORBA::object_reference<CORBA::Repository>& repository, const std::string& name) {
  auto found = repository->lookup_id(name);
  const bool is_scoped_name = name.find('/') == std::string::npos && !name.starts_with("IDL:");
  if (found == nullptr && is_scoped_name)
    found = repository->lookup(name.starts_with("::") ? name : "::" + name);
  if (found == nullptr) return nullptr;
  auto interface = IDL::traits<CORBA::InterfaceDef>::narrow(found);
  if (interface == nullptr)
    throw DescriptionError(
        "the definition of " + printable(name) +
        " in the Interface Repository is not an interface; --interface names one");
  return interface;
}

}  // namespace perigee::tool
