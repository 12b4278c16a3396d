// The default assembly of an ORB: the one place that names concrete protocols.
#pragma once

#include "runtime/configuration.h"
#include <perigee/base/export.h>

#include <memory>

namespace perigee::orb {
class OrbCore;
}

namespace perigee::runtime {

/// Makes the parts that the configuration asks for and puts them together: GIOP over TCP, UDP and
/// UNIX-domain sockets, plug-ins, the server engine and the object adapters. Raises
/// CORBA::INITIALIZE if a part cannot be made.
PERIGEE_INTERNAL_API std::shared_ptr<orb::OrbCore> assemble(Configuration configuration);

}  // namespace perigee::runtime
