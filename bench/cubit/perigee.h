// Perigee's server and client in the cubit experiment.
#pragma once

#include <string>

namespace perigee::bench {

/// Prints its IOR, then serves until killed. `thread_strategy`: as -ORBThreadStrategy.
int run_perigee_server(const std::string& thread_strategy);
int run_perigee_client(const std::string& ior);

}  // namespace perigee::bench
