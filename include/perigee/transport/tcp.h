// The protocol `iiop`: GIOP over TCP. Only the default assembly (`runtime`) includes this.
#pragma once

#include <perigee/base/export.h>
#include <perigee/transport/transport.h>

#include <memory>

namespace perigee::transport {

/// The factory of scheme "iiop". Addresses: "host:port", "[v6]:port", "host" (port 2809 to connect,
/// any port to listen); to listen also ":port" and "" (all interfaces, IPv6 and IPv4).
PERIGEE_API std::unique_ptr<ProtocolFactory> make_tcp_protocol();

}  // namespace perigee::transport
