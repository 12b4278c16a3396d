// The struct experiment's roles over Perigee.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace perigee::bench {

int run_structs_server();
/// Answers commands (workloads.h), marshalling in memory included.
int run_structs_client(const std::string& ior);

/// Octets of CDR that a workload marshals, by name: written or read once, or sent and brought back.
std::map<std::string, std::size_t> struct_workload_sizes();

}  // namespace perigee::bench
