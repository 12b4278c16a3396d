// Reads /proc/<pid>.
#include "usage.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace perigee::bench {
namespace {

double find_status(pid_t pid, const std::string& name) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name + ":")) return std::stod(line.substr(name.size() + 1));
  throw std::runtime_error(fmt::format("process {} has no {}", pid, name));
}

// proc(5): the 14th field. The second field is the name in parentheses, which may contain blanks.
// So the fields are counted from behind it.
std::chrono::nanoseconds user_time(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string word;
  for (int field = 3; field <= 14; ++field) fields >> word;
  if (!fields) throw std::runtime_error(fmt::format("process {} has no times", pid));
  return std::chrono::nanoseconds(std::stoll(word) * (1'000'000'000 / sysconf(_SC_CLK_TCK)));
}

}  // namespace

Usage usage_of(pid_t pid) {
  return {user_time(pid), static_cast<std::size_t>(find_status(pid, "Threads")),
          find_status(pid, "RssAnon") * 1024};
}

}  // namespace perigee::bench
