// `perigee bench ttcp --profile`: the costs within a transfer. perf finds the costly functions,
// strace counts the system calls, and callgrind counts the calls and instructions of functions.
#pragma once

#include "callgrind.h"
#include "ttcp.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace perigee::bench {

/// A function, and its share of a process's CPU time.
struct CostlyFunction {
  double percent = 0;
  std::string object;  ///< the program, a library, or [kernel]
  std::string name;
};

struct SystemCallCount {
  std::string name;
  double per_buffer = 0;
  double ms_per_mib = 0;  ///< milliseconds from entry to return, while strace traces the process
};

/// One side of one version, with one size of buffers.
struct SideProfile {
  std::vector<CostlyFunction> functions;  ///< most costly first; without small ones
  std::vector<SystemCallCount> calls;
  std::vector<FunctionCost> costs;  ///< per buffer, most instructions first; without small ones
};

struct VersionProfile {
  std::string version;
  std::size_t queue_size = 0;
  std::size_t size = 0;
  SideProfile transmitter;
  SideProfile receiver;
  /// The time of a transfer under strace, divided by its time without strace. 0: not measured.
  double strace_slowdown = 0;
};

struct ProfileReport {
  TtcpOptions options;
  bool has_functions = false;  ///< perf was chosen and could be used
  bool has_calls = false;      ///< the same of strace
  bool has_costs = false;      ///< the same of callgrind
  std::vector<VersionProfile> profiles = {};
  /// The reasons why a chosen tool could not be used, by its name.
  std::map<std::string, std::string> not_used = {};
};

/// Profiles each chosen version, size and size of queues. Throws if none of the chosen tools can be
/// used; standard error has the reasons.
ProfileReport profile_ttcp(const TtcpOptions& options);
std::string to_table(const ProfileReport& report);
std::string to_json(const ProfileReport& report);
std::string to_html(const ProfileReport& report);

}  // namespace perigee::bench
