// The kernel's data about this process.
#pragma once

#include <cstdint>

namespace perigee::runtime {

/// Zero: not known.
struct ProcessState {
  std::uint64_t threads = 0;
  std::uint64_t resident_size = 0;  ///< octets of memory
  std::uint64_t process_id = 0;
};

/// Reads /proc/self/status.
[[nodiscard]] ProcessState process_state();

}  // namespace perigee::runtime
