// The limits and settings of this host: files of /proc and /sys, and resource limits.
#pragma once

#include "doctor/finding.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perigee::tool {

/// Reads the files in which the kernel shows its settings. Tests read them from another folder.
class KernelFiles {
 public:
  explicit KernelFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  /// The first line of a file, such as "proc/sys/net/core/somaxconn"; nothing if it cannot be read.
  [[nodiscard]] std::optional<std::string> line(const std::string& path) const;
  /// The first number of this line.
  [[nodiscard]] std::optional<std::uint64_t> number(const std::string& path) const;
  /// The lines of this file in the control group of this process and in the groups around it.
  [[nodiscard]] std::vector<std::string> group_lines(const std::string& name) const;
  /// The lowest limit in these lines: nothing if all are "max".
  [[nodiscard]] std::optional<std::uint64_t> group_limit(const std::string& name) const;

 private:
  std::filesystem::path root_;
};

/// Resource limits of this process; nothing stands for no limit.
struct ResourceLimits {
  std::optional<std::uint64_t> open_files;
  std::optional<std::uint64_t> open_files_hard;
  std::optional<std::uint64_t> threads;
};
[[nodiscard]] ResourceLimits resource_limits();

[[nodiscard]] Finding check_open_files(const ResourceLimits& limits);
[[nodiscard]] Finding check_threads(const ResourceLimits& limits, const KernelFiles& files);
[[nodiscard]] Finding check_memory(const KernelFiles& files);
/// `usable`: the CPUs that the affinity of this process allows.
[[nodiscard]] Finding check_cpus(unsigned usable, const KernelFiles& files);
[[nodiscard]] Finding check_clock(const KernelFiles& files);
[[nodiscard]] Finding check_backlog(const KernelFiles& files);
[[nodiscard]] Finding check_client_ports(const KernelFiles& files);

/// Makes a ring of io_uring and a sealed block of shared memory, and removes them again.
[[nodiscard]] Finding check_io_uring(const KernelFiles& files);
[[nodiscard]] Finding check_shared_memory();

}  // namespace perigee::tool
