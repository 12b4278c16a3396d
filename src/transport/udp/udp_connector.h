// Makes the client's end of connections over UDP. Private to transport/udp.
#pragma once

#include <perigee/transport/transport.h>

#include <chrono>

namespace perigee::transport {

/// "Connecting" only chooses the peer: nothing is sent, and nothing is waited for but the look-up
/// of a name. Of the addresses of a name the first is taken that this host has a route to.
class UdpConnector final : public Connector {
 public:
  /// Does not wait if the endpoint has a numeric address.
  Begun begin(const Endpoint& endpoint) override;
  Begun look_up(const Endpoint& endpoint) override;
  std::expected<std::unique_ptr<Transport>, IoError> connect(
      const Endpoint& endpoint, std::chrono::milliseconds timeout) override;
};

}  // namespace perigee::transport
