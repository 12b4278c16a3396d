// The states of threads, as /proc shows them.
#include "event/runnable.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <span>
#include <system_error>

namespace perigee::event {
namespace {

// Reads the beginning of a file without an allocation; empty if it cannot be read.
std::string_view read_front(const char* path, std::span<char> space) noexcept {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = read(file, space.data(), space.size());
  (void)close(file);
  return {space.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

}  // namespace

pid_t thread_id() noexcept { return static_cast<pid_t>(syscall(SYS_gettid)); }

// The name of a thread has at most 15 octets, any of which may be a parenthesis.
char state_of_stat(std::string_view stat) noexcept {
  constexpr std::size_t longest_front = 32;
  const std::size_t name_end = stat.substr(0, longest_front).rfind(") ");
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return 0;
  return stat[name_end + 2];
}

std::optional<std::uint32_t> runnable_of_loadavg(std::string_view loadavg) noexcept {
  const std::size_t slash = loadavg.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::size_t begin = loadavg.rfind(' ', slash) + 1;  // 0 if there is no space
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(loadavg.data() + begin, loadavg.data() + slash, count);
  if (error != std::errc{} || end != loadavg.data() + slash) return std::nullopt;
  return count;
}

bool is_runnable(pid_t thread) noexcept {
  std::array<char, 40> path{};
  std::array<char, 64> space{};
  (void)std::snprintf(path.data(), path.size(), "/proc/self/task/%ld/stat",
                      static_cast<long>(thread));
  return state_of_stat(read_front(path.data(), space)) == 'R';
}

std::uint32_t idle_cpus_of_machine() noexcept {
  std::array<char, 64> space{};
  const auto runnable = runnable_of_loadavg(read_front("/proc/loadavg", space));
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  if (!runnable || cpus <= static_cast<long>(*runnable)) return 0;
  return static_cast<std::uint32_t>(cpus) - *runnable;
}

}  // namespace perigee::event
