// Reads the numbers of this process from the file system of the kernel.
#include "runtime/server/process_state.h"

#include <fstream>
#include <string>

namespace perigee::runtime {

// The file has lines such as "Threads:\t4" and "VmRSS:\t    5120 kB".
ProcessState process_state() {
  ProcessState state;
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    const auto number_behind = [&line](const std::string& name, std::uint64_t& value) {
      if (!line.starts_with(name)) return;
      value = 0;
      for (const char c : line.substr(name.size()))
        if (c >= '0' && c <= '9') value = value * 10 + static_cast<std::uint64_t>(c - '0');
    };
    number_behind("Threads:", state.threads);
    number_behind("VmRSS:", state.resident_size);
    number_behind("Pid:", state.process_id);
  }
  state.resident_size *= 1024;
  return state;
}

}  // namespace perigee::runtime
