// The resource use of a process, as the system counts it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>

namespace perigee::bench {

struct Usage {
  std::chrono::nanoseconds user{0};  ///< CPU time of all its threads, in the system's ticks
  std::size_t threads = 0;
  double own_octets = 0;  ///< private memory that it has written to, without the kernel's
};

/// Throws std::runtime_error if there is no such process.
Usage usage_of(pid_t pid);

/// The time that all CPUs of this host have been busy since it started, in the system's ticks.
/// Throws std::runtime_error if the system does not count it.
std::chrono::nanoseconds busy_time_of_host();

}  // namespace perigee::bench
