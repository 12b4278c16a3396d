// Finds the definition of an interface: at the object itself, or in an Interface Repository.
#pragma once

#include <perigee/orb/object.h>
#include <perigee/orb/orb.h>
#include <perigee/repository/InterfaceRepositoryC.h>

#include <stdexcept>
#include <string>

namespace perigee::tool {

/// There is no definition, or it cannot be used. `what()` tells the user what to do.
class DescriptionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The interfaces that a description contains.
enum class Contents {
  of_one,  ///< only the requested interface, with what it inherits; enough to call it
  of_all,  ///< also all interfaces that it uses as types, as in the IDL
};

struct InterfaceSource {
  CORBA::object_reference<CORBA::InterfaceDef> interface;
  /// The repository with the other definitions. Nil if the server of `interface` does not name it.
  CORBA::object_reference<CORBA::Repository> repository;
};

/// Asks the object (`_get_interface`): one call if the answer is a reference of
/// CORBA::ExtInterfaceDef, as Perigee's repositories write it. Throws DescriptionError if the
/// server has no definition, and the system exceptions of servers that are not reached.
[[nodiscard]] CORBA::object_reference<CORBA::InterfaceDef> definition_of(
    CORBA::ORB& orb, const CORBA::object_reference<CORBA::Object>& object);

/// The repository id in the reference; empty for a corbaloc.
[[nodiscard]] std::string written_id(CORBA::ORB& orb,
                                     const CORBA::object_reference<CORBA::Object>& object);

/// The repository that has the interface. Nil if its server replies that there is no repository.
/// Throws the other system exceptions, for example TIMEOUT.
[[nodiscard]] CORBA::object_reference<CORBA::Repository> repository_of(
    CORBA::InterfaceDef& interface);

/// The Interface Repository with this reference. Throws DescriptionError for other objects.
[[nodiscard]] CORBA::object_reference<CORBA::Repository> repository_at(
    const CORBA::object_reference<CORBA::Object>& object);

/// The interface with this repository id, or this scoped name. The result is nil if the repository
/// does not have it. Throws DescriptionError if the definition is not an interface.
[[nodiscard]] CORBA::object_reference<CORBA::InterfaceDef> find_interface(
    const CORBA::object_reference<CORBA::Repository>& repository, const std::string& name);

}  // namespace perigee::tool
