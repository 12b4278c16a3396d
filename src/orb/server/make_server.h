// Makes the server of an ORB.
#pragma once

#include "orb/context/server.h"
#include <perigee/base/export.h>

#include <memory>

namespace perigee::orb {

/// Opens nothing yet. The core owns the result and outlives it.
PERIGEE_API std::unique_ptr<Server> make_server(OrbCore& core);

}  // namespace perigee::orb
