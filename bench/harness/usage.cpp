// Reads the CPU time, the threads and the memory of a process from /proc/<pid>.
#include "usage.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace perigee::bench {
namespace {

std::chrono::nanoseconds ticks(long long count) {
  return std::chrono::nanoseconds(count * (1'000'000'000 / sysconf(_SC_CLK_TCK)));
}

double find_status(pid_t pid, const std::string& name) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return std::stod(line.substr(name.size() + 1));
  throw std::runtime_error(fmt::format("process {} has no {}", pid, name));
}

// proc(5): the 14th field. The second field is the name in parentheses, which may contain blanks.
// So the fields after the name are counted.
std::chrono::nanoseconds user_time(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string word;
  for (int field = 3; field <= 14; ++field) fields >> word;
  if (!fields) throw std::runtime_error(fmt::format("process {} has no times", pid));
  return ticks(std::stoll(word));
}

}  // namespace

Usage usage_of(pid_t pid) {
  return {user_time(pid), static_cast<std::size_t>(find_status(pid, "Threads")),
          find_status(pid, "RssAnon") * 1024};
}

// proc(5): "cpu", then the times user, nice, system, idle, iowait, irq and softirq of all CPUs.
std::chrono::nanoseconds busy_time_of_host() {
  std::ifstream file("/proc/stat");
  std::string name;
  long long user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, deferred = 0;
  file >> name >> user >> nice >> system >> idle >> waiting >> interrupts >> deferred;
  if (!file || name != "cpu") throw std::runtime_error("/proc/stat has no CPU times");
  return ticks(user + nice + system + interrupts + deferred);
}

}  // namespace perigee::bench
