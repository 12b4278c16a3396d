// The protocols of an ORB: where a protocol that is not part of Perigee comes in.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/orb.h>
#include <perigee/transport/registry.h>

#include <string_view>

namespace perigee {

/// What is added is there for the references that are used, and the endpoints that are listened at,
/// from then on: add what `-ORBListenEndpoints` names before the first object of the server is
/// made, or call `listen`. Any thread. Belongs to the ORB.
PERIGEE_API transport::ProtocolRegistry& protocols(CORBA::ORB& orb) noexcept;

/// Takes a protocol out of the registry, and closes the server's endpoints of it: references that
/// are made from now on do not lead there. Connections go on, and so do references that lead to
/// other servers by it. Any thread. False if there is none of this name.
PERIGEE_API bool unload(CORBA::ORB& orb, std::string_view name);

/// Listens at one more endpoint while the server runs, and says what references publish of it:
/// those that are made from now on. Starts the server if it has not been started. Any thread. The
/// errors are the protocol's; IoErrorKind::unsupported if no protocol has the scheme, and
/// IoErrorKind::interrupted after the server's end.
PERIGEE_API std::expected<transport::Endpoint, IoError> listen(CORBA::ORB& orb,
                                                               const transport::Endpoint& endpoint);

}  // namespace perigee
