// Turns connections of `uiop` into connections of `shmiop`. Private to transport/shared_memory.
#pragma once

#include "transport/shared_memory/peer_watch.h"
#include "transport/shared_memory/ring_quota.h"
#include "transport/wrapped_connections.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace perigee::transport::shared_memory {

inline constexpr std::string_view shared_memory_scheme = "shmiop";

/// The rendezvous follows in Transport::open, so a client that stalls does not hold up the
/// acceptor.
class RingWrapper final : public RenamedScheme {
 public:
  /// `connections_max`: of servers; see `make_shared_memory_protocol`.
  explicit RingWrapper(std::uint32_t connections_max)
      : RenamedScheme(std::string(shared_memory_scheme), "uiop"),
        quota_(std::make_shared<RingQuota>(connections_max)) {}

  [[nodiscard]] Made connected(std::unique_ptr<Transport> transport,
                               const Endpoint& endpoint) const override;
  [[nodiscard]] Made accepted(std::unique_ptr<Transport> transport) const override;

 private:
  const std::shared_ptr<PeerWatcher> watcher_ = std::make_shared<PeerWatcher>();
  const std::shared_ptr<RingQuota> quota_;
};

}  // namespace perigee::transport::shared_memory
