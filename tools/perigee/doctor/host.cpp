// Checks limits and settings of the host. Below the thresholds here, a server with many clients
// fails or is slow.
#include "doctor/host.h"

#include <perigee/ipc/uring.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace perigee::tool {

std::optional<std::string> KernelFiles::line(const std::string& path) const {
  std::ifstream file(root_ / path);
  std::string text;
  if (!std::getline(file, text)) return std::nullopt;
  return text;
}

namespace {

std::optional<std::uint64_t> number_at(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::uint64_t> KernelFiles::number(const std::string& path) const {
  const auto text = line(path);
  return text ? number_at(*text) : std::nullopt;
}

// With control groups of version 2, the line of this process is "0::/path".
std::vector<std::string> KernelFiles::group_lines(const std::string& name) const {
  const auto own = line("proc/self/cgroup");
  constexpr std::string_view prefix = "0::/";
  std::vector<std::string> lines;
  if (!own || !own->starts_with(prefix)) return lines;
  std::filesystem::path group(own->substr(prefix.size()));
  while (true) {
    auto text = line((std::filesystem::path("sys/fs/cgroup") / group / name).string());
    if (text) lines.push_back(std::move(*text));
    if (group.empty()) return lines;
    group = group.parent_path();
  }
}

std::optional<std::uint64_t> KernelFiles::group_limit(const std::string& name) const {
  std::optional<std::uint64_t> least;
  for (const std::string& text : group_lines(name))
    if (const auto limit = number_at(text); limit && (!least || *limit < *least)) least = limit;
  return least;
}

namespace {

std::optional<std::uint64_t> to_limit(rlim_t value) {
  if (value == RLIM_INFINITY) return std::nullopt;
  return value;
}

std::string in_mebibytes(std::uint64_t octets) { return std::to_string(octets >> 20) + " MiB"; }

}  // namespace

ResourceLimits resource_limits() {
  ResourceLimits limits;
  rlimit found{};
  if (getrlimit(RLIMIT_NOFILE, &found) == 0) {
    limits.open_files = to_limit(found.rlim_cur);
    limits.open_files_hard = to_limit(found.rlim_max);
  }
  if (getrlimit(RLIMIT_NPROC, &found) == 0) limits.threads = to_limit(found.rlim_cur);
  return limits;
}

Finding check_open_files(const ResourceLimits& limits) {
  constexpr std::uint64_t least = 256;
  constexpr std::uint64_t advised = 65'536;
  Finding finding{.subject = "open files", .text = "no limit"};
  if (!limits.open_files) return finding;
  finding.text =
      "at most " + std::to_string(*limits.open_files) +
      "; a connection takes one open file, and a connection over shared memory takes two";
  if (*limits.open_files >= advised) return finding;
  finding.verdict = *limits.open_files < least ? Verdict::problem : Verdict::advice;
  const bool may_raise = !limits.open_files_hard || *limits.open_files_hard >= advised;
  finding.remedy = may_raise
                       ? "for a server with many clients: ulimit -n 65536, or LimitNOFILE= of "
                         "its systemd unit"
                       : "for a server with many clients, raise the hard limit, too: "
                         "LimitNOFILE= of its systemd unit, or /etc/security/limits.conf";
  return finding;
}

Finding check_threads(const ResourceLimits& limits, const KernelFiles& files) {
  constexpr std::uint64_t least = 64;
  constexpr std::uint64_t advised = 1024;
  auto limit = limits.threads;
  for (const auto& other :
       {files.group_limit("pids.max"), files.number("proc/sys/kernel/threads-max")})
    if (other && (!limit || *other < *limit)) limit = other;
  Finding finding{.subject = "threads", .text = "no limit"};
  if (!limit) return finding;
  finding.text = "at most " + std::to_string(*limit) + " for this user, container or host";
  if (*limit >= advised) return finding;
  finding.verdict = *limit < least ? Verdict::problem : Verdict::advice;
  finding.remedy =
      "raise TasksMax= of the systemd unit, the limit of the container, or ulimit -u; or use a "
      "strategy with few threads: -ORBThreadStrategy reactor-per-core";
  return finding;
}

Finding check_memory(const KernelFiles& files) {
  constexpr std::uint64_t advised = std::uint64_t{512} << 20;
  Finding finding{.subject = "memory", .text = "no limit of a container or systemd unit"};
  const auto limit = files.group_limit("memory.max");
  if (!limit) return finding;
  finding.text = "a container or systemd unit limits it to " + in_mebibytes(*limit);
  if (*limit >= advised) return finding;
  finding.verdict = Verdict::advice;
  finding.remedy =
      "the default of -ORBMemoryBudget is for larger hosts: set a smaller value than this limit, "
      "so that the server refuses requests before the kernel kills the server";
  return finding;
}

Finding check_cpus(unsigned usable, const KernelFiles& files) {
  Finding finding{.subject = "CPUs", .text = std::to_string(usable)};
  // "max 100000" or "150000 100000": microseconds of CPU time, and the period.
  double cpus = usable;
  for (const std::string& line : files.group_lines("cpu.max")) {
    std::istringstream words(line);
    double quota = 0;
    double period = 0;
    if (words >> quota >> period && period > 0) cpus = std::min(cpus, quota / period);
  }
  if (cpus >= usable) return finding;
  std::ostringstream text;
  text << usable << "; a container or systemd unit allows the time of "
       << std::round(cpus * 10) / 10 << " CPUs";
  finding.text = text.str();
  finding.verdict = Verdict::advice;
  finding.remedy =
      "-ORBThreadStrategy reactor-per-core starts one thread for each CPU: start fewer threads "
      "with -ORBThreads, or raise the quota of the container or unit";
  return finding;
}

Finding check_clock(const KernelFiles& files) {
  Finding finding{.subject = "clock", .text = "its source is not known"};
  const auto source = files.line("sys/devices/system/clocksource/clocksource0/current_clocksource");
  if (!source) return finding;
  finding.text = "its source is " + *source;
  if (*source == "hpet" || *source == "acpi_pm") {
    finding.verdict = Verdict::advice;
    finding.remedy =
        "reading this source takes a system call, and each call of an ORB reads the clock: see "
        "whether the kernel has refused tsc (dmesg | grep -i tsc)";
  }
  return finding;
}

Finding check_backlog(const KernelFiles& files) {
  constexpr std::uint64_t advised = 1024;
  Finding finding{.subject = "waiting connections", .text = "the limit is not known"};
  const auto limit = files.number("proc/sys/net/core/somaxconn");
  if (!limit) return finding;
  finding.text = "at most " + std::to_string(*limit) + " wait until a server accepts them";
  if (*limit >= advised) return finding;
  finding.verdict = Verdict::advice;
  finding.remedy = "if many clients connect at once: sysctl net.core.somaxconn=4096";
  return finding;
}

Finding check_client_ports(const KernelFiles& files) {
  constexpr std::uint64_t advised = 10'000;
  Finding finding{.subject = "client ports", .text = "the range is not known"};
  const auto range = files.line("proc/sys/net/ipv4/ip_local_port_range");
  if (!range) return finding;
  std::istringstream words(*range);
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  if (!(words >> first >> last) || last < first) return finding;
  const std::uint64_t count = last - first + 1;
  finding.text = std::to_string(count) + " for connections to one address";
  if (count >= advised) return finding;
  finding.verdict = Verdict::advice;
  finding.remedy = "sysctl net.ipv4.ip_local_port_range=\"32768 60999\"";
  return finding;
}

Finding check_io_uring(const KernelFiles& files) {
  Finding finding{.subject = "io_uring", .text = "works"};
  const auto works = ipc::uring::available();
  if (works) return finding;
  finding.text = "not available: " + works.error().message();
  finding.verdict = Verdict::advice;
  const auto disabled = files.number("proc/sys/kernel/io_uring_disabled");
  finding.remedy = disabled && *disabled != 0
                       ? "only -ORBPoller uring needs it: sysctl kernel.io_uring_disabled=0"
                       : "only -ORBPoller uring needs it: the container must allow io_uring_setup";
  return finding;
}

Finding check_shared_memory() {
  Finding finding{.subject = "shared memory", .text = "works"};
  const auto fail = [&finding](const char* step) {
    finding.text = std::string(step) + ": " + std::generic_category().message(errno);
    finding.verdict = Verdict::advice;
    finding.remedy =
        "calls on this host use UNIX-domain sockets or TCP instead; shmiop needs sealed memory "
        "files (memfd_create with MFD_ALLOW_SEALING)";
    return finding;
  };
  constexpr std::size_t size = 4096;
  const int file = memfd_create("perigee_doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return fail("a memory file cannot be made");
  struct Closed {
    int file;
    ~Closed() { close(file); }
  } const closed{file};
  if (ftruncate(file, size) != 0) return fail("a memory file cannot grow");
  if (fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return fail("a memory file cannot be sealed");
  void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) return fail("a memory file cannot be mapped");
  munmap(mapped, size);
  return finding;
}

}  // namespace perigee::tool
