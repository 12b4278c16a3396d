// The one place that knows all thread strategies.
#include "orb/server/make_server.h"

#include "orb/core/orb_core.h"
#include "orb/server/engine_server.h"
#include "orb/server/threaded_server.h"

namespace perigee::orb {

std::unique_ptr<Server> make_server(OrbCore& core) {
  switch (core.settings().thread_strategy) {
    case ThreadStrategy::reactive:
    case ThreadStrategy::thread_pool:
    case ThreadStrategy::reactor_per_core:
      return std::make_unique<EngineServer>(core);
    case ThreadStrategy::thread_per_connection:
      break;
  }
  return std::make_unique<ThreadedServer>(core);
}

}  // namespace perigee::orb
