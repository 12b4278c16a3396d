// Runs a program to its end, with a time limit, and keeps what it writes to standard error.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace perigee::bench {

struct CapturedRun {
  int status = 0;           ///< as waitpid returns it
  bool timed_out = false;   ///< the program was killed at its time limit
  std::string errors = {};  ///< the last octets of its standard error, at most `errors_size_max`
};

inline constexpr std::size_t errors_size_max = 16 * 1024;

/// Runs `arguments`, without input and output. `arguments[0]` is a path. Calls `each_second` while
/// the program runs. Throws std::runtime_error if the program cannot be started. The program ends
/// when this process ends.
CapturedRun run_captured(const std::vector<std::string>& arguments, std::chrono::seconds time_limit,
                         const std::function<void()>& each_second);

/// Why the program failed, as a sentence without a full stop; empty if it succeeded.
std::string failure_of(const CapturedRun& run, std::chrono::seconds time_limit);

}  // namespace perigee::bench
