// The server and the client of the cubit experiment over Perigee.
#pragma once

#include <string>
#include <vector>

namespace perigee::bench {

/// Prints its IOR, then serves at `endpoint` until it is killed. `thread_strategy`: the value of
/// -ORBThreadStrategy; `options`: further options of ORB_init.
int run_perigee_server(const std::string& thread_strategy,
                       const std::string& endpoint = "iiop://127.0.0.1:0",
                       const std::vector<std::string>& options = {});
int run_perigee_client(const std::string& ior, const std::vector<std::string>& options = {});

}  // namespace perigee::bench
