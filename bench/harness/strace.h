// Counts the system calls of a running process, with the program strace.
#pragma once

#include "harness/process.h"

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace perigee::bench {

/// strace, attached to a process and its threads. It counts from the end of the constructor until
/// `stop`.
class Strace {
 public:
  struct Call {
    std::string name;
    double count = 0;
    double seconds = 0;  ///< from entry to return, including the time in which the call waits
  };

  /// `file`: for its output. Throws std::runtime_error if strace is not installed, or may not
  /// attach to the process.
  Strace(pid_t pid, const std::filesystem::path& file);

  /// Ends strace, and returns its counts. The calls with the longest total time come first.
  std::vector<Call> stop();

 private:
  std::filesystem::path file_;
  Process strace_;
};

}  // namespace perigee::bench
