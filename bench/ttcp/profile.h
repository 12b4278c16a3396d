// `perigee bench ttcp --profile`: the costs within a transfer: functions by perf, and system calls
// by strace.
#pragma once

#include "ttcp.h"

#include <cstddef>
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
};

/// One side of one version, with one size of buffers.
struct SideProfile {
  std::vector<CostlyFunction> functions;  ///< most costly first; without small ones
  std::vector<SystemCallCount> calls;
};

struct VersionProfile {
  std::string version;
  std::size_t size = 0;
  SideProfile transmitter;
  SideProfile receiver;
};

struct ProfileReport {
  TtcpOptions options;
  bool has_functions = false;  ///< perf could be used
  bool has_calls = false;      ///< strace could be used
  std::vector<VersionProfile> profiles;
};

/// Profiles each chosen version and size, with the system's queues. Throws if neither perf nor
/// strace can be used; the error contains their messages.
ProfileReport profile_ttcp(const TtcpOptions& options);
std::string to_table(const ProfileReport& report);
std::string to_json(const ProfileReport& report);
std::string to_html(const ProfileReport& report);

}  // namespace perigee::bench
