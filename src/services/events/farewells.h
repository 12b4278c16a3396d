// The calls that tell peers about the end of their proxies.
#pragma once

#include <perigee/async/task.h>
#include <perigee/orb/orb.h>

#include <chrono>
#include <deque>
#include <mutex>
#include <optional>

namespace perigee::events {

/// Any thread.
class Farewells {
 public:
  /// Starts the task, or keeps it for `tell_all`.
  void tell(task<void> farewell);
  /// From now on, tasks are kept.
  void keep();
  /// Runs the kept tasks, a limited number at a time, until all have ended. Later tasks are started
  /// at once again. Calls end with TIMEOUT after `time_max`; then tasks that have not begun are
  /// dropped. Failures are logged.
  void tell_all(const CORBA::object_reference<CORBA::ORB>& orb, std::chrono::milliseconds time_max);

 private:
  task<void> tell_kept(std::chrono::milliseconds time_max);
  task<void> tell_some(TimePoint until);
  [[nodiscard]] std::optional<task<void>> take();

  std::mutex mutex_;  // guards the members below
  std::deque<task<void>> kept_;
  bool keeps_ = false;
};

}  // namespace perigee::events
