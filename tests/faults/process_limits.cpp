// The memory limit and the memory use of this process, by /proc and setrlimit.
#include "faults/process_limits.h"

#include "base/sanitizer.h"

#ifdef PERIGEE_SANITIZER
#include <sanitizer/allocator_interface.h>
#endif

#include <malloc.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>

namespace perigee::test {
namespace {

constexpr bool sanitized = under_sanitizer;

/// The number after a name in /proc/self/status.
std::size_t status_of(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return std::stoul(line.substr(name.size() + 1));
  throw std::runtime_error("no " + name);
}

}  // namespace

std::size_t memory_in_use() { return status_of("VmRSS") * 1024; }

std::size_t memory_peak() { return status_of("VmHWM") * 1024; }

// proc(5): /proc/pid/clear_refs.
void forget_memory_peak() {
  std::ofstream file("/proc/self/clear_refs");
  if (!(file << "5" << std::flush)) throw std::runtime_error("no way to reset VmHWM");
}

std::size_t heap_in_use() {
#ifdef PERIGEE_SANITIZER
  return __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

std::size_t open_handles() {
  using Entries = std::filesystem::directory_iterator;
  return static_cast<std::size_t>(std::distance(Entries("/proc/self/fd"), Entries()));
}

// A sanitizer starts a thread of its own with the first thread of the program.
std::size_t thread_count() {
  static const bool begun = [] {
    std::thread([] {}).join();
    return true;
  }();
  static_cast<void>(begun);
  return status_of("Threads");
}

bool memory_is_watched() noexcept { return sanitized; }

void limit_address_space(std::size_t octets) {
  if constexpr (sanitized) return;
  mallopt(M_ARENA_MAX, 2);  // each arena reserves 64 MiB that it does not use
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = status_of("VmSize") * 1024 + octets;
  if (setrlimit(RLIMIT_AS, &limit) != 0) throw std::runtime_error("no limit");
}

}  // namespace perigee::test
