// Connects to UNIX-domain sockets of users that the client trusts. Private to transport/local.
#pragma once

#include "transport/stream/queues.h"
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

 private:
  const LocalTrust trust_;
  const StreamQueues queues_;
};

}  // namespace perigee::transport
