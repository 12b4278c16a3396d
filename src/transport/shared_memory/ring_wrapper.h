// Turns connections of `uiop` into connections of `shmiop`. Private to transport/shared_memory.
#pragma once

#include "transport/shared_memory/peer_watch.h"
#include "transport/shared_memory/ring_quota.h"
#include "transport/shared_memory/ring_transport.h"
#include "transport/wrapped_connections.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::transport::shared_memory {

inline constexpr std::string_view shared_memory_scheme = "shmiop";

/// Making a connection does not wait for the peer: the client sends its rings to the server later,
/// in Transport::open. So a client that stalls does not hold up the acceptor.
class RingWrapper final : public RenamedScheme {
 public:
  /// The arguments are those of `make_shared_memory_protocol`.
  RingWrapper(std::uint32_t connections_max, std::shared_ptr<LazyPool> pool)
      : RenamedScheme(std::string(shared_memory_scheme), "uiop"),
        shared_{std::make_shared<PeerWatcher>(),
                pool ? std::make_shared<const LinkTrust>(std::move(pool)) : nullptr},
        quota_(std::make_shared<RingQuota>(connections_max)) {}

  [[nodiscard]] Made connected(std::unique_ptr<Transport> transport,
                               const Endpoint& endpoint) const override;
  [[nodiscard]] Made accepted(std::unique_ptr<Transport> transport) const override;

 private:
  const RingTransport::Shared shared_;
  const std::shared_ptr<RingQuota> quota_;
};

}  // namespace perigee::transport::shared_memory
