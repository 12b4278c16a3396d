// The interface that a reactor calls before it runs tasks and timers. Private to the library.
#pragma once

#include <perigee/base/export.h>

namespace perigee::event {

class Reactor;

/// Called on any thread that runs the reactor.
class TaskWatcher {
 public:
  /// Called before each task that runs, and before each timer that fires. Both may be application
  /// code, which takes as long as an upcall.
  virtual void before_task() noexcept = 0;

 protected:
  ~TaskWatcher() = default;
};

/// Makes `reactor` call `watcher`. Must be called before the reactor runs. The reactor must come
/// from `make_reactor` and be for several threads. `watcher` must outlive the reactor's last turn.
/// Tasks and timers that run because of `Reactor::close` do not call the watcher.
PERIGEE_INTERNAL_API void watch_tasks(Reactor& reactor, TaskWatcher& watcher) noexcept;

}  // namespace perigee::event
