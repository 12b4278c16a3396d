// The options and limits of a bridge. A value.
#pragma once

#include <perigee/bridge/access_rules.h>
#include <perigee/bridge/rewriting.h>
#include <perigee/iop/ior.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/transport.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace perigee::bridge {

/// The defaults are those of `perigee bridge`.
struct Options {
  /// The endpoints at which the bridge listens for clients.
  std::vector<transport::Endpoint> listen;
  /// The endpoint to which requests go. Empty: the server of the first reference.
  std::optional<transport::Endpoint> target;
  /// References to objects that clients reach through the bridge. Their code sets and versions are
  /// published in the bridge's references.
  std::vector<iop::Ior> references;
  /// The highest GIOP version that the target supports, if no reference states it.
  messaging::Version target_version{1, 2};
  /// Requests go to the target in GIOPlite, even if no reference says that the target reads
  /// GIOPlite.
  bool lite_to_target = false;
  AccessRules rules;
  /// The operations whose arguments and results may hold references; these references are
  /// rewritten.
  RewritingPlan rewriting;

  messaging::Limits messages;
  std::uint32_t threads = 0;  ///< 0: one for each CPU
  std::uint32_t connections_max = 10'000;
  std::chrono::milliseconds connect_timeout{10'000};
  /// How long requests in progress may take after `stop`.
  std::chrono::milliseconds stop_timeout{5'000};
};

}  // namespace perigee::bridge
