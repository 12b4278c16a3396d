// The number of CPUs that this process may use. Private to the libraries of the ORB.
#pragma once

#include <perigee/base/export.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace perigee::event {

/// The number of CPUs in the affinity mask of the calling thread, limited by the CPU quotas of the
/// process's cgroup and its parents; at least 1.
[[nodiscard]] PERIGEE_INTERNAL_API std::uint32_t usable_cpus() noexcept;

/// The number of the CPU that the calling thread runs on now, from 0; takes no system call. 0 if
/// the system does not report it.
[[nodiscard]] PERIGEE_INTERNAL_API std::uint32_t current_cpu() noexcept;

/// The CPUs that a cgroup's `cpu.max` allows, rounded up: "150000 100000" is 2. std::nullopt: no
/// limit, or text of another form.
[[nodiscard]] std::optional<std::uint32_t> cpus_of_quota(std::string_view cpu_max) noexcept;

}  // namespace perigee::event
