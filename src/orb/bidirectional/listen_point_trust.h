// The listen points of a peer that the ORB believes.
#pragma once

#include <perigee/iop/listen_points.h>
#include <perigee/transport/transport.h>

#include <optional>
#include <string_view>

namespace perigee::orb {

/// The endpoint that a listen point names, if the peer of the connection may speak for it. Each
/// transport has a rule of its own; a transport without a rule vouches for no listen point. Never
/// waits, and looks up no names, since the peer may control the result.
///
/// TCP: the host must be the numeric address of the other end of the connection, as the system
/// knows it. TLS: this address, or a name or address in the verified certificate of the peer.
[[nodiscard]] std::optional<transport::Endpoint> believed_endpoint(
    const transport::Transport& connection, const iop::ListenPoint& point);

/// Whether connections of this scheme can be offered to the peer. Only schemes with a rule can.
[[nodiscard]] bool has_trust_rule(std::string_view scheme) noexcept;

}  // namespace perigee::orb
