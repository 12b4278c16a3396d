// Connects to UNIX-domain sockets of users that the client trusts. Private to transport/local.
#pragma once

#include "transport/local/local_address.h"
#include "transport/stream/queues.h"
#include <perigee/ipc/lsock.h>
#include <perigee/transport/local.h>
#include <perigee/transport/transport.h>

#include <utility>

namespace perigee::transport {

/// The system says which user listens (SO_PEERCRED). The connector asks before it sends anything.
class LocalConnector final : public Connector {
 public:
  LocalConnector(LocalTrust trust, StreamQueues queues)
      : trust_(std::move(trust)), queues_(queues) {}

  std::expected<std::unique_ptr<Transport>, IoError> connect(
      const Endpoint& endpoint, std::chrono::milliseconds timeout) override;
  /// Connects if the server's queue of connections has room, and otherwise returns null. Then the
  /// caller uses `connect`, which waits for room. So the thread that calls this function does not
  /// wait for the handshake of a protocol that wraps `uiop`.
  Begun look_up(const Endpoint& endpoint) override;

 private:
  [[nodiscard]] std::expected<LocalAddress, IoError> trusted_address(
      const Endpoint& endpoint) const;
  [[nodiscard]] std::expected<std::unique_ptr<Transport>, IoError> transport_of(
      ipc::lsock::Stream stream, const LocalAddress& address, const Endpoint& endpoint) const;

  const LocalTrust trust_;
  const StreamQueues queues_;
};

}  // namespace perigee::transport
