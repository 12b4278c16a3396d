// Adds and removes protocols and endpoints of an ORB that runs already.
#include "orb/core/orb_core.h"
#include <perigee/orb/protocols.h>

namespace perigee {

transport::ProtocolRegistry& protocols(CORBA::ORB& orb) noexcept {
  return orb._core()->protocols();
}

bool unload(CORBA::ORB& orb, std::string_view name) {
  if (!orb._core()->protocols().remove(name)) return false;
  if (orb::Server* const server = orb._core()->server()) server->close_removed();
  return true;
}

std::expected<transport::Endpoint, IoError> listen(CORBA::ORB& orb,
                                                   const transport::Endpoint& endpoint) {
  orb::Server* const server = orb._core()->server();
  if (server != nullptr) return server->listen(endpoint);
  return std::unexpected(
      IoError{IoErrorKind::unsupported, IoOperation::listen, 0, to_string(endpoint)});
}

}  // namespace perigee
