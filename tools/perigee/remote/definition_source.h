// Finds the definition of an interface: at the object itself, or in an Interface Repository.
#pragma once

#include <perigee/orb/object.h>
#include <perigee/repository/InterfaceRepositoryC.h>

#include <stdexcept>
#include <string>

namespace perigee::tool {

/// There is no definition, or it cannot be used. The text is for people, and says what to do.
class DescriptionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct InterfaceSource {
  CORBA::object_reference<CORBA::InterfaceDef> interface;
  /// Has the other definitions. Nil if the server of `interface` does not name it.
  CORBA::object_reference<CORBA::Repository> repository;
};

/// Asks the object (`_get_interface`). Throws DescriptionError if its server has no definition, and
/// the system exceptions of servers that are not reached.
[[nodiscard]] InterfaceSource definition_of(const CORBA::object_reference<CORBA::Object>& object);

/// The repository that has the interface. Nil if its server replies that there is none. Throws the
/// other system exceptions, for example TIMEOUT.
[[nodiscard]] CORBA::object_reference<CORBA::Repository> repository_of(
    CORBA::InterfaceDef& interface);

/// The Interface Repository with this reference. Throws DescriptionError if it is something else.
[[nodiscard]] CORBA::object_reference<CORBA::Repository> repository_at(
    const CORBA::object_reference<CORBA::Object>& object);

/// The interface with this repository id, or this scoped name. The result is nil if the repository
/// does not have it. Throws DescriptionError if the definition is not an interface.
[[nodiscard]] CORBA::object_reference<CORBA::InterfaceDef> find_interface(
    const CORBA::object_reference<CORBA::Repository>& repository, const std::string& name);

}  // namespace perigee::tool
