// The parts of an ORB that its objects may use. `OrbCore` fills the context in and outlives these
// objects.
#pragma once

#include "orb/context/orb_life.h"
#include "orb/context/server.h"
#include "orb/context/settings.h"
#include <perigee/base/clock.h>
#include <perigee/base/export.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/registry.h>

#include <atomic>
#include <memory>
#include <string_view>

namespace perigee::engine {

struct EngineContext;

}  // namespace perigee::engine

namespace perigee::orb {

class Bidirectional;
class CallDriver;
class ClientPolicies;
class CollocatedDeferrals;
class EndpointTable;
class OrbMetrics;
class ReferenceFactory;
class RequestDispatcher;

/// References only: each object behind them says which threads may use it.
struct OrbContext {
  const Settings& settings;
  const Clock& clock;
  OrbMetrics& metrics;
  const OrbLife& life;
  const engine::EngineContext& engine;

  transport::ProtocolRegistry& protocols;
  const messaging::MessagingProtocol& messaging;  ///< the ORB's own: GIOP

  EndpointTable& endpoints;  ///< the client's connections
  Bidirectional& bidirectional;
  ClientPolicies& policies;  ///< of the ORB and of its threads
  ReferenceFactory& references;
  CallDriver& calls;

  const std::unique_ptr<Server>& server;              ///< null in an assembly without one
  const std::atomic<RequestDispatcher*>& dispatcher;  ///< null until an adapter is installed
  /// Collocated calls whose reply is deferred. Shared with their response handlers.
  const std::shared_ptr<CollocatedDeferrals>& collocated_deferrals;
};

/// The messages that connections to endpoints of a scheme carry.
[[nodiscard]] PERIGEE_INTERNAL_API const messaging::MessagingProtocol& messaging_of(
    const OrbContext& context, std::string_view scheme) noexcept;
/// The highest version of these messages that is sent and published.
[[nodiscard]] PERIGEE_INTERNAL_API messaging::Version version_max(
    const OrbContext& context, const messaging::MessagingProtocol& messages) noexcept;

}  // namespace perigee::orb
