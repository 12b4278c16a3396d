// Puts the object adapters into an ORB: the one function of this layer that the runtime calls.
#pragma once

#include "poa/limits.h"
#include <perigee/base/export.h>

namespace perigee::orb {
class OrbCore;
}

namespace perigee::poa {

/// Registers the dispatcher, the service, the policies of the POA and the initial references
/// "RootPOA", "INSPOA" (also "omniINSPOA"), "IORTable", "POACurrent" and "PeerCurrent". The server
/// opens its endpoints when an adapter or the IORTable is first resolved. Call before the ORB is
/// used.
PERIGEE_API void install(orb::OrbCore& core, const AdapterLimits& limits = {});

}  // namespace perigee::poa
