// A time limit for all calls of a command.
#pragma once

#include <perigee/orb/orb.h>

namespace perigee::tool {

/// From now on each call through the ORB, connecting included, may take so long; 0: any time.
void limit_calls(CORBA::ORB& orb, double seconds);

}  // namespace perigee::tool
