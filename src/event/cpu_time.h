// The CPU time that threads have used. Private to the libraries of the ORB.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/base/export.h>

#include <ctime>

namespace perigee::event {

/// The CPU time of the thread that constructs the object. Any thread may read it while that thread
/// lives.
class ThreadCpuTime {
 public:
  ThreadCpuTime() noexcept;
  /// Zero if the system does not report it.
  [[nodiscard]] Duration used() const noexcept;

 private:
  clockid_t clock_{};
  bool known_ = false;
};

/// The CPU time of all threads of the process. Zero if the system does not report it.
[[nodiscard]] PERIGEE_INTERNAL_API Duration cpu_time_of_process() noexcept;

}  // namespace perigee::event
