// Runs strace in its counting mode, and reads its table.
#include "strace.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace perigee::bench {

Strace::Strace(pid_t pid, const std::filesystem::path& file)
    : file_(file),
      strace_({{"/bin/sh", "-c",
                "exec " + find_program("strace") + " -f -c -w -U calls,time-total,name -o '" +
                    file.string() + "' -p " + std::to_string(pid) + " 2>&1"},
               -1}) {
  const std::string line = strace_.read_line();
  if (line.find("attached") == std::string::npos) throw std::runtime_error(line);
}

std::vector<Strace::Call> Strace::stop() {
  strace_.terminate();
  strace_.wait();
  std::vector<Call> calls;
  std::ifstream input(file_);
  for (std::string line; std::getline(input, line);) {
    std::istringstream words(line);
    Call call;
    if (words >> call.count >> call.seconds >> call.name && call.name != "total")
      calls.push_back(std::move(call));
  }
  return calls;
}

}  // namespace perigee::bench
