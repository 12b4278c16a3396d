// The operations for the operator of a running server (idl/PerigeeAdministration.idl). They are
// reached at a socket file of their own, which only the server's user may open. The server's
// endpoints do not reach them.
#pragma once

#include <perigee/transport/transport.h>

namespace perigee::orb {
class OrbCore;
}

namespace perigee::runtime {

/// Serves until the core is destroyed, as the object with the key "Administration", by an ORB of
/// its own with threads of its own. Raises CORBA::INITIALIZE if it cannot listen there.
void install_administration(orb::OrbCore& core, const transport::Endpoint& endpoint);

}  // namespace perigee::runtime
