// Which listen points of a peer the ORB believes.
#pragma once

#include <perigee/iop/listen_points.h>
#include <perigee/transport/transport.h>

#include <optional>
#include <string_view>

namespace perigee::orb {

/// The endpoint that a listen point names, if the endpoint certainly belongs to the peer. So the
/// host must be the numeric address of the other end of the connection, as the system knows it.
/// Names are not looked up, since the peer may control the result. `peer`: the text of a transport.
[[nodiscard]] std::optional<transport::Endpoint> believed_endpoint(std::string_view peer,
                                                                   const iop::ListenPoint& point);

}  // namespace perigee::orb
