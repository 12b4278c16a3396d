// Connecting to UNIX-domain sockets of those whom the client trusts. Private to transport/local.
#pragma once

#include "transport/stream/queues.h"
#include <perigee/transport/local.h>
#include <perigee/transport/transport.h>

#include <utility>

namespace perigee::transport {

/// The system says who listens (SO_PEERCRED): asked before anything is sent.
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
