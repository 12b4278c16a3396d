// A protocol whose transports are wrapped, each as it comes: by fault injectors and recorders.
// Private to transport.
#pragma once

#include <perigee/transport/transport.h>

#include <functional>
#include <memory>

namespace perigee::transport {

/// What becomes of a transport. Called by any thread, for as long as the protocol or anything that
/// it has made lives.
struct TransportWrappers {
  using Wrap = std::function<std::unique_ptr<Transport>(std::unique_ptr<Transport> inner)>;

  Wrap connected;
  Wrap accepted;
};

/// Everything else is as `inner` does it.
std::unique_ptr<ProtocolFactory> decorate_protocol(std::unique_ptr<ProtocolFactory> inner,
                                                   TransportWrappers wrappers);

}  // namespace perigee::transport
