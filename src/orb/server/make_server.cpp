// The server of an ORB, for each thread strategy.
#include "orb/server/make_server.h"

#include "orb/core/orb_core.h"
#include "orb/server/engine_server.h"

namespace perigee::orb {

std::unique_ptr<Server> make_server(OrbCore& core) { return std::make_unique<EngineServer>(core); }

}  // namespace perigee::orb
