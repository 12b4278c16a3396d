// The floor of the cubit experiment: a blocking TCP ping-pong.
#pragma once

#include <string>

namespace perigee::bench {

/// Prints its port, then serves each connection on a thread of its own until killed.
int run_raw_server();
int run_raw_client(const std::string& port);

}  // namespace perigee::bench
