// The time for leases.
#pragma once

#include <perigee/services/naming/options.h>

#include <chrono>

namespace perigee::naming {

[[nodiscard]] inline WallTime now_of(const Options& options) {
  if (options.wall_clock) return options.wall_clock();
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

[[nodiscard]] inline bool has_ended(WallTime expires, WallTime now) {
  return expires != never && expires <= now;
}

}  // namespace perigee::naming
