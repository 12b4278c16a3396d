// Servers of the cubit experiment with asynchronous servants, which reply at once.
#pragma once

#include <string>

namespace perigee::bench {

/// `kind`: "AMH" or "coroutine". Like run_perigee_server, with the thread strategy `reactive`.
int run_asynchronous_server(const std::string& kind, const std::string& endpoint);

}  // namespace perigee::bench
