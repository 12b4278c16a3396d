// A protocol that wraps each transport when it is made: for fault injectors and recorders. Private
// to transport.
#pragma once

#include <perigee/transport/transport.h>

#include <functional>
#include <memory>

namespace perigee::transport {

/// Functions that wrap a new transport. Any thread may call them. They must stay valid while the
/// protocol, or any object that the protocol has made, exists.
struct TransportWrappers {
  using Wrap = std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport> inner)>;

  Wrap connected;
  Wrap accepted;
};

/// Makes a protocol that wraps the transports of `inner`. Its other functions forward to `inner`.
std::unique_ptr<ProtocolFactory> decorate_protocol(std::unique_ptr<ProtocolFactory> inner,
                                                   TransportWrappers wrappers);

}  // namespace perigee::transport
