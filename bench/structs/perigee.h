// The server and the client of the struct experiment over Perigee.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace perigee::bench {

/// `endpoint`: the value of -ORBListenEndpoints.
int run_structs_server(const std::string& endpoint);
/// Answers commands (workloads.h), including marshalling in memory.
int run_structs_client(const std::string& ior);

/// The octets of CDR of each workload, by name: written or read once, or sent and returned.
std::map<std::string, std::size_t> struct_workload_sizes();

}  // namespace perigee::bench
