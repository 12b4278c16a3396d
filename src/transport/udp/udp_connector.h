// Makes the client's end of connections over UDP. Private to transport/udp.
#pragma once

#include <perigee/transport/transport.h>

#include <chrono>

namespace perigee::transport {

/// "Connecting" only chooses the peer. It sends nothing, and waits only for the look-up of a name.
/// It takes the first address of the name to which this host has a route.
class UdpConnector final : public Connector {
 public:
  /// Does not wait if the endpoint has a numeric address.
  Begun begin(const Endpoint& endpoint) override;
  Begun look_up(const Endpoint& endpoint) override;
  std::expected<std::unique_ptr<Transport>, IoError> connect(
      const Endpoint& endpoint, std::chrono::milliseconds timeout) override;
};

}  // namespace perigee::transport
