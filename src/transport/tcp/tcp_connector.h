// Makes TCP connections. Private to transport/tcp.
#pragma once

#include "transport/tcp/tcp_address.h"
#include <perigee/transport/transport.h>

namespace perigee::transport {

/// Resolves a name and tries its addresses as RFC 8305 says (connect_any.h), within one time-out
/// for all addresses. Resolving itself blocks as long as the system's resolver does.
class TcpConnector final : public Connector {
 public:
  explicit TcpConnector(const TcpOptions& options) noexcept : options_(options) {}

  /// Does not wait if the endpoint has a numeric address.
  Begun begin(const Endpoint& endpoint) override;
  Begun look_up(const Endpoint& endpoint) override;

  std::expected<std::unique_ptr<Transport>, IoError> connect(
      const Endpoint& endpoint, std::chrono::milliseconds timeout) override;

 private:
  TcpOptions options_;
};

}  // namespace perigee::transport
