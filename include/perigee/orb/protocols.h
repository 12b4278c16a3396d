// The protocols of an ORB: where a protocol that is not part of Perigee comes in.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/orb.h>
#include <perigee/transport/registry.h>

namespace perigee {

/// What is added is there for the references that are used, and the endpoints that are listened at,
/// from then on: add what `-ORBListenEndpoints` names before the first object of the server is
/// made. Any thread. Belongs to the ORB.
PERIGEE_API transport::ProtocolRegistry& protocols(CORBA::ORB& orb) noexcept;

}  // namespace perigee
