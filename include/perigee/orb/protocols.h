// The protocols of an ORB: adds protocols that are not part of Perigee.
#pragma once

#include <perigee/base/export.h>
#include <perigee/orb/orb.h>
#include <perigee/transport/registry.h>

#include <string_view>

namespace perigee {

/// The registry of protocols, which the ORB owns. Only references and endpoints that are made later
/// use a protocol that is added here. So add the protocols of `-ORBListenEndpoints` before the
/// first object of the server is made, or call `listen`. Any thread.
PERIGEE_API transport::ProtocolRegistry& protocols(CORBA::ORB& orb) noexcept;

/// Removes a protocol from the registry, and closes the server's endpoints of that protocol. Later
/// references do not contain these endpoints. Connections, and references to other servers that use
/// the protocol, remain usable. Any thread. False if there is no protocol with this name.
PERIGEE_API bool unload(CORBA::ORB& orb, std::string_view name);

/// Listens at one more endpoint while the server runs, and returns the published endpoint.
/// References that are made from now on contain it. Starts the server if it has not been started.
/// Any thread. Errors: the protocol's; IoErrorKind::unsupported if no protocol has the scheme;
/// IoErrorKind::interrupted after the server's end.
PERIGEE_API std::expected<transport::Endpoint, IoError> listen(CORBA::ORB& orb,
                                                               const transport::Endpoint& endpoint);

}  // namespace perigee
