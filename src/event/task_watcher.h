// What is told before a reactor runs tasks and timers. Private to the library.
#pragma once

namespace perigee::event {

class Reactor;

/// Any thread that runs the reactor.
class TaskWatcher {
 public:
  /// Before each task that runs, and each timer that fires: it may be code of the application,
  /// which takes as long as an upcall.
  virtual void before_task() noexcept = 0;

 protected:
  ~TaskWatcher() = default;
};

/// Before the reactor runs. The reactor is one of `make_reactor`, for several threads. `watcher`
/// must outlive its last turn; `Reactor::close` does not tell it.
void watch_tasks(Reactor& reactor, TaskWatcher& watcher) noexcept;

}  // namespace perigee::event
