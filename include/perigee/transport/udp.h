// The protocol `diop`: GIOP over UDP. Only the default assembly (`runtime`) includes this.
#pragma once

#include <perigee/base/export.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <memory>

namespace perigee::transport {

/// The tag of the profiles of UDP addresses, which TAO also uses. The profiles look like IIOP
/// profiles.
inline constexpr std::uint32_t tag_diop = 0x54414f04;

struct UdpOptions {
  /// How many peers one endpoint of a server remembers. A further peer takes the place of the peer
  /// that has sent nothing for the longest time. 0: as many as the limit of open handles allows,
  /// between 64 and 1024.
  std::uint32_t peers_max = 0;
};

/// The factory of scheme "diop". Addresses: "host:port", "[v6]:port", "host" (port 2809 to connect,
/// any port to listen); to listen also ":port" and "" (all interfaces, IPv6 and IPv4), with the
/// options `?publish=<host>[:<port>][,…]` and `&replies=yes`. Without `replies=yes` an endpoint
/// serves oneways only. A sender can forge its address, and replies would then go to another host.
PERIGEE_API std::unique_ptr<ProtocolFactory> make_udp_protocol(UdpOptions options = {});

/// The codec of `tag_diop`. Source: TAO, DIOP_Profile.
PERIGEE_API std::unique_ptr<iop::ProfileCodec> make_diop_codec();

}  // namespace perigee::transport
