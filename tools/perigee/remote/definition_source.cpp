// CORBA 3.0, 4.3.1.1 (_get_interface) and 10.5.7 (Repository).
#include "remote/definition_source.h"

#include <perigee/base/printable.h>
#include <perigee/orb/exceptions.h>

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

}  // namespace

InterfaceSource definition_of(const CORBA::object_reference<CORBA::Object>& object) {
  const auto answer = ask(*object);
  if (answer == nullptr) throw_undescribed("its server returned a nil reference");
  InterfaceSource source;
  source.interface = IDL::traits<CORBA::InterfaceDef>::narrow(answer);
  if (source.interface == nullptr) throw_undescribed("its server returned no InterfaceDef");
  source.repository = repository_of(*source.interface);
  return source;
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
