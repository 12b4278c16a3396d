// The one place that knows all thread strategies.
#include "orb/server/make_server.h"

#include "orb/core/orb_core.h"
#include "orb/server/core_loops_server.h"
#include "orb/server/pool_server.h"
#include "orb/server/reactive_server.h"
#include "orb/server/threaded_server.h"

namespace perigee::orb {

std::unique_ptr<Server> make_server(OrbCore& core) {
  switch (core.settings().thread_strategy) {
    case ThreadStrategy::reactive:
      return std::make_unique<ReactiveServer>(core);
    case ThreadStrategy::thread_pool:
      return std::make_unique<PoolServer>(core);
    case ThreadStrategy::reactor_per_core:
      return std::make_unique<CoreLoopsServer>(core);
    case ThreadStrategy::thread_per_connection:
      break;
  }
  return std::make_unique<ThreadedServer>(core);
}

}  // namespace perigee::orb
