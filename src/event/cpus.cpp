// The affinity mask, and the quotas of the cgroup (version 2) and its parents.
#include "event/cpus.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>
#include <thread>

namespace perigee::event {
namespace {

constexpr std::string_view cgroup_root = "/sys/fs/cgroup";

std::optional<std::uint64_t> number(std::string_view text) noexcept {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0) return std::nullopt;
  return value;
}

std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

// The path in a line such as "0::/user.slice/a". It is the only line of the file if all controllers
// are of version 2.
std::string path_in_hierarchy() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) return line.substr(3);
  return "/";
}

std::uint32_t cpus_of_cgroup() {
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  std::string path = path_in_hierarchy();
  for (;;) {
    while (path.ends_with('/')) path.pop_back();
    if (const auto cpus = cpus_of_quota(first_line(std::string(cgroup_root) + path + "/cpu.max")))
      least = std::min(least, *cpus);
    if (path.empty()) return least;
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

std::uint32_t cpus_of_mask() noexcept {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (::sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_COUNT(&mask) > 0)
    return static_cast<std::uint32_t>(CPU_COUNT(&mask));
  return std::max(std::thread::hardware_concurrency(), 1U);
}

}  // namespace

std::optional<std::uint32_t> cpus_of_quota(std::string_view cpu_max) noexcept {
  const std::size_t space = cpu_max.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto quota = number(cpu_max.substr(0, space));
  const auto period = number(cpu_max.substr(space + 1));
  if (!quota || !period) return std::nullopt;
  const std::uint64_t cpus = *quota / *period + (*quota % *period != 0 ? 1 : 0);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(cpus, std::numeric_limits<std::uint32_t>::max()));
}

std::uint32_t current_cpu() noexcept {
  const int cpu = ::sched_getcpu();
  return cpu < 0 ? 0 : static_cast<std::uint32_t>(cpu);
}

std::uint32_t usable_cpus() noexcept try {
  return std::max(std::min(cpus_of_mask(), cpus_of_cgroup()), 1U);
} catch (const std::exception&) {  // no memory for a path
  return cpus_of_mask();
}

}  // namespace perigee::event
