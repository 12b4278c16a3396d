// The calls that tell peers about the end of their proxies.
#pragma once

#include <perigee/async/task.h>
#include <perigee/base/clock.h>
#include <perigee/orb/orb.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

namespace perigee::events {

/// Any thread. Running tasks keep it alive.
class Farewells : public std::enable_shared_from_this<Farewells> {
 public:
  /// Starts the task, or keeps it for `tell_all`.
  void tell(task<void> farewell);
  /// From now on, tasks are kept.
  void keep();
  /// Runs the kept tasks, a limited number at a time, until all have ended. Later tasks are started
  /// at once again. Each call has at most an eighth of `time_max`, so that others come after calls
  /// that get no reply. After `time_max`, tasks that have not begun are dropped. Failures are
  /// logged.
  void tell_all(const CORBA::object_reference<CORBA::ORB>& orb, std::chrono::milliseconds time_max);

 private:
  /// `self` keeps the object alive.
  static task<void> tell_kept(std::shared_ptr<Farewells> self, std::chrono::milliseconds time_max);
  task<void> tell_some(TimePoint until, Duration time_of_each);
  [[nodiscard]] std::optional<task<void>> take();
  void end_keeping(std::chrono::milliseconds time_max);

  std::mutex mutex_;  // guards the members below
  std::deque<task<void>> kept_;
  bool keeps_ = false;
  std::size_t timeouts_ = 0;  // of tell_all
};

}  // namespace perigee::events
