// The operations for the operator of a running server (idl/PerigeeAdministration.idl). They are
// reached at a socket file of their own, which only the server's user may open. The server's
// endpoints do not reach them.
#pragma once

#include <perigee/transport/transport.h>

namespace perigee::orb {
class OrbCore;
}

namespace perigee::runtime {

/// Serves the object with the key "Administration" at `endpoint` until the core is destroyed. A
/// second ORB with threads of its own serves it. Raises CORBA::INITIALIZE if that ORB cannot
/// listen at the endpoint.
void install_administration(orb::OrbCore& core, const transport::Endpoint& endpoint);

}  // namespace perigee::runtime
