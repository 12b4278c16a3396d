// The protocol `iiop`: GIOP over TCP. Only the default assembly (`runtime`) includes this.
#pragma once

#include <perigee/base/export.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <memory>

namespace perigee::transport {

/// Sizes of the send and receive queues of each connection, in octets. 0: the system chooses the
/// size, and adapts it.
struct TcpQueues {
  std::uint32_t send_size = 0;
  std::uint32_t receive_size = 0;
};

/// The factory of scheme "iiop". Addresses: "host:port", "[v6]:port", "host" (port 2809 to connect,
/// any port to listen); to listen also ":port" and "" (all interfaces, IPv6 and IPv4).
PERIGEE_API std::unique_ptr<ProtocolFactory> make_tcp_protocol(TcpQueues queues = {});

}  // namespace perigee::transport
