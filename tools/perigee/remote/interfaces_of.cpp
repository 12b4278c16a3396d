// Turns the description of an interface into IDL. The front end of perigee-idl checks this IDL like
// a file.
#include "remote/interfaces_of.h"

#include "idlc/frontend/compile.h"
#include "remote/description.h"
#include "remote/idl_text.h"
#include <perigee/base/printable.h>

#include <utility>

namespace perigee::tool {

namespace {

Interfaces checked(const std::string& text) {
  idlc::MemoryFiles files;
  const std::string name = "<repository>";
  files.add(name, text);
  try {
    return Interfaces({.files = {name}, .include_folders = {}, .macros = {}}, files);
  } catch (const InterfaceError& error) {
    throw DescriptionError(
        "the Interface Repository has definitions that break the rules of IDL; "
        "give the IDL with --idl instead: " +
        printable(error.what()));
  }
}

}  // namespace

void check_idl(const std::string& text) { static_cast<void>(checked(text)); }

InterfaceSource find_source(const CORBA::object_reference<CORBA::ORB>& orb,
                            const InterfaceQuery& query) {
  if (query.repository == nullptr) {
    InterfaceSource source{definition_of(*orb, query.object), nullptr};
    if (query.interface.empty() && query.contents == Contents::of_one) return source;
    source.repository = repository_of(*source.interface);
    if (query.interface.empty()) return source;
    if (source.repository == nullptr)
      throw DescriptionError(
          "the server of the object does not name its Interface Repository, so --interface needs "
          "--ifr REFERENCE");
    source.interface = find_interface(source.repository, query.interface);
    if (source.interface == nullptr)
      throw DescriptionError("the Interface Repository of the object has no interface " +
                             printable(query.interface));
    return source;
  }
  std::string name = query.interface;
  if (name.empty()) name = query.object->_repository_id();
  if (name.empty()) name = written_id(*orb, query.object);
  if (name.empty())
    throw DescriptionError(
        "neither the reference nor the object names an interface; give it with --interface <name>");
  InterfaceSource source{find_interface(query.repository, name), query.repository};
  if (source.interface == nullptr)
    throw DescriptionError(
        "the Interface Repository has no definition of " + printable(name) +
        "; perigee-ifr --add-to REFERENCE FILE adds it, or give the IDL with --idl");
  return source;
}

RemoteInterface interfaces_of(const CORBA::object_reference<CORBA::ORB>& orb,
                              const InterfaceSource& source, std::chrono::milliseconds time_max) {
  const Description description(source, Contents::of_one, {.time_max = time_max});
  return {checked(idl_text(orb, description)), description.main().id};
}

}  // namespace perigee::tool
