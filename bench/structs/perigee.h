// The server and the client of the struct experiment over Perigee.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace perigee::bench {

/// `endpoint`: the value of -ORBListenEndpoints.
int run_structs_server(const std::string& endpoint);
/// Answers commands (workloads.h): makes calls, or marshals in memory without a call.
int run_structs_client(const std::string& ior);

/// The octets of CDR of each workload, by its name. A call counts its argument and its result.
std::map<std::string, std::size_t> struct_workload_sizes();

}  // namespace perigee::bench
