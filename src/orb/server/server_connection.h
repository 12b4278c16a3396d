// The connection under a server's conversation: the same whichever thread strategy reads it.
#pragma once

#include "orb/connection/connection.h"
#include "orb/context/orb_metrics.h"
#include "orb/core/orb_core.h"
#include "orb/server/accepted.h"
#include <perigee/base/log.h>

#include <exception>
#include <utility>

namespace perigee::orb {

/// With a flusher, the connection has threads of its own, which may wait: for `send_timeout`, since
/// a thread that sends is in its upcall still, and may hold locks of the servant and of the POA.
inline Connection make_server_connection(OrbCore& core, Accepted accepted,
                                         OutputFlusher* flusher = nullptr) {
  const Settings& settings = core.settings();
  const auto send_timeout =
      flusher != nullptr ? settings.send_timeout : std::chrono::milliseconds::zero();
  return {std::move(accepted.transport), *accepted.messaging, messaging::Role::acceptor,
          ConnectionLimits{settings.read_buffer_size, settings.write_queue_size_max,
                           settings.busy_poll, send_timeout, flusher, &core.clock()},
          &core.metrics().server_traffic};
}

inline void warn_of_peer_that_does_not_read(Connection& connection) noexcept {
  try {
    log::write(log::Level::warning, "server", connection.peer() + " does not read its replies");
  } catch (const std::exception& exception) {  // no memory for the line
    log::write(log::Level::warning, "server", exception.what());
  }
}

}  // namespace perigee::orb
