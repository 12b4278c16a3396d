// Which threads the system would run now, if it had a CPU for them. Private to the libraries.
#pragma once

#include <perigee/base/export.h>

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace perigee::event {

/// The calling thread, as the system counts threads.
[[nodiscard]] pid_t thread_id() noexcept;

/// A thread of this process computes or waits for a CPU: it does not sleep, and it does not wait
/// for a device. False if the system does not tell. One to three microseconds.
[[nodiscard]] bool is_runnable(pid_t thread) noexcept;

/// The CPUs of the machine that have nothing to do now; 0 if the system does not tell.
[[nodiscard]] PERIGEE_INTERNAL_API std::uint32_t idle_cpus_of_machine() noexcept;

/// @name The files of the system, as text
/// @{
/// Of /proc/self/task/N/stat: "17 (name) R 1 ...". 0: text of another form.
[[nodiscard]] char state_of_stat(std::string_view stat) noexcept;
/// Of /proc/loadavg: "0.20 0.18 0.12 3/345 11206" has 3. Nothing: text of another form.
[[nodiscard]] std::optional<std::uint32_t> runnable_of_loadavg(std::string_view loadavg) noexcept;
/// @}

}  // namespace perigee::event
