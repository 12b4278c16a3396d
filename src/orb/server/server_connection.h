// The connection under a server's conversation: the same whichever thread strategy reads it.
#pragma once

#include "orb/connection.h"
#include "orb/orb_core.h"
#include "orb/orb_metrics.h"

#include <memory>
#include <utility>

namespace perigee::orb {

inline Connection make_server_connection(OrbCore& core,
                                         std::unique_ptr<transport::Transport> transport) {
  const Settings& settings = core.settings();
  return {std::move(transport), core.messaging(),
          ConnectionLimits{settings.read_buffer_size, settings.write_queue_size_max,
                           settings.busy_poll},
          &core.metrics().server_traffic};
}

}  // namespace perigee::orb
