// Perigee's server and client in the cubit experiment.
#pragma once

#include <string>
#include <vector>

namespace perigee::bench {

/// Prints its IOR, then serves until killed. `thread_strategy`: as -ORBThreadStrategy; `options`:
/// further ones of ORB_init.
int run_perigee_server(const std::string& thread_strategy,
                       const std::vector<std::string>& options = {});
int run_perigee_client(const std::string& ior);

}  // namespace perigee::bench
