// Which listen points are believed.
#pragma once

#include <perigee/iop/listen_points.h>
#include <perigee/transport/transport.h>

#include <optional>
#include <string_view>

namespace perigee::orb {

/// The endpoint that a listen point names, if it is certainly the peer's own: the host is the
/// numeric address of the other end of the connection, as the system knows it. Names are not looked
/// up: the peer may control what its name says. `peer`: the text of a transport.
[[nodiscard]] std::optional<transport::Endpoint> believed_endpoint(std::string_view peer,
                                                                   const iop::ListenPoint& point);

}  // namespace perigee::orb
