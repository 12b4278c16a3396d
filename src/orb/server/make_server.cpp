// All thread strategies have the same server class.
#include "orb/server/make_server.h"

#include "orb/core/orb_core.h"
#include "orb/server/engine_server.h"

namespace perigee::orb {

std::unique_ptr<Server> make_server(OrbCore& core) { return std::make_unique<EngineServer>(core); }

}  // namespace perigee::orb
