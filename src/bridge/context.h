// The data that the parts of a bridge share.
#pragma once

#include "bridge/references.h"
#include "engine/client/connects.h"
#include "engine/connection/traffic.h"
#include "engine/loops/context.h"
#include <perigee/bridge/options.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/registry.h>

#include <atomic>
#include <string_view>

namespace perigee::bridge {

/// References to parts that outlive their users. Any thread.
struct BridgeContext {
  const transport::ProtocolRegistry& protocols;
  const messaging::MessagingProtocol& giop;
  const Options& options;
  const engine::EngineContext& engine;
  engine::TrafficLedger& target_traffic;
  engine::Connects& connects;
  References& references;
  const std::atomic<bool>& gives_up;  ///< true: requests in progress end at once

  /// The messages that connections to endpoints of a scheme carry.
  [[nodiscard]] const messaging::MessagingProtocol& messages_of(
      std::string_view scheme) const noexcept {
    const auto* const own = protocols.messaging(scheme);
    return own != nullptr ? *own : giop;
  }
};

}  // namespace perigee::bridge
