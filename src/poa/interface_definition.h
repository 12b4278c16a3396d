// Finds the definitions of interfaces, for the replies to `_interface`.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/object.h>

#include <string>

namespace perigee::poa {

/// Asks the Interface Repository of the ORB that serves the present upcall for the definition of
/// the interface `repository_id`. The repository is the initial reference `InterfaceRepository` of
/// this ORB. Blocks during the call of `lookup_id`. Raises INTF_REPOS: OMG minor 1 outside of
/// upcalls, if the ORB has no repository and if the call fails; OMG minor 2 if the repository has
/// no such definition.
PERIGEE_INTERNAL_API CORBA::object_reference<CORBA::Object> interface_definition(
    const std::string& repository_id);

}  // namespace perigee::poa
