// The part of an ORB that only servers have. It is in a library of its own, libperigee_server, so
// that a pure client does not load it.
#pragma once

#include "runtime/configuration.h"
#include <perigee/base/export.h>

namespace perigee::orb {
class OrbCore;
}

namespace perigee::runtime {

/// Makes the server and the object adapters of the ORB, its metrics page and its administration, as
/// the configuration says. Raises CORBA::INITIALIZE if one of them cannot be made.
///
/// Weak: the address is null in a program that is not linked with libperigee_server.
[[gnu::weak]] PERIGEE_API void install_server(orb::OrbCore& core,
                                              const Configuration& configuration);

}  // namespace perigee::runtime
