// The systems that the cubit experiment compares, and how each is started.
#pragma once

#include "harness/process.h"

#include <memory>
#include <string>
#include <vector>

namespace perigee::bench {

/// One system: a server's and a client's command line. "{REF}" in the client's stands for what the
/// server prints first (a port or an IOR).
struct System {
  std::string name;
  std::vector<std::string> server;
  std::vector<std::string> client;
};

/// The floor twice ("raw" and "null": the same program, to show what chance does), Perigee in both
/// strategies, and omniORB in both of its own if `omniorb_program` is not empty.
std::vector<System> cubit_systems(const std::string& omniorb_program);

/// The names of the workloads in the order of the report.
const std::vector<std::string>& cubit_workloads();

/// Which CPUs server and client are pinned to.
struct Placement {
  int server_cpu = -1;
  int client_cpu = -1;
};

/// One call's cost in one round.
struct Sample {
  double p50_ns = 0;
  double mean_ns = 0;
  double cpu_ns = 0;  ///< user and system time of both sides, per call
};

/// A running server and its client.
class Pair {
 public:
  Pair(const System& system, const Placement& placement);
  Sample run(const std::string& workload, std::size_t count);

 private:
  std::unique_ptr<Process> server_;
  std::unique_ptr<Process> client_;
};

}  // namespace perigee::bench
