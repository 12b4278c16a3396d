// The threads that the system would run now, if it had a CPU for them. Private to the libraries.
#pragma once

#include <perigee/base/export.h>

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace perigee::event {

/// The system's number of the calling thread: gettid(2).
[[nodiscard]] pid_t thread_id() noexcept;

/// Whether a thread of this process runs or waits for a CPU: it neither sleeps nor waits for a
/// device. False if the system does not tell. Takes one to three microseconds.
[[nodiscard]] bool is_runnable(pid_t thread) noexcept;

/// The number of CPUs of the machine that have nothing to do now; 0 if the system does not tell.
[[nodiscard]] PERIGEE_INTERNAL_API std::uint32_t idle_cpus_of_machine() noexcept;

/// @name Parsers of the system's files; declared for tests
/// @{
/// The state of a thread in /proc/self/task/N/stat: 'R' in "17 (name) R 1 ...". 0: text of another
/// form.
[[nodiscard]] char state_of_stat(std::string_view stat) noexcept;
/// The runnable threads in /proc/loadavg: 3 in "0.20 0.18 0.12 3/345 11206". std::nullopt: text of
/// another form.
[[nodiscard]] std::optional<std::uint32_t> runnable_of_loadavg(std::string_view loadavg) noexcept;
/// @}

}  // namespace perigee::event
