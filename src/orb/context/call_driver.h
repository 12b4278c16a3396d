// The interface through which a waiting thread advances asynchronous calls.
#pragma once

#include <perigee/base/deadline.h>
#include <perigee/base/function_ref.h>

namespace perigee::orb {

class AsyncEngine;

/// Runs the loop of asynchronous calls on threads that wait. Any thread.
class CallDriver {
 public:
  /// Made at the first use. Raises NO_RESOURCES if there is no handle for a reactor.
  [[nodiscard]] virtual AsyncEngine& engine() = 0;
  /// Runs the loop, or waits for the thread that runs it, until `done()` is true or `until` has
  /// come. `done` is called after each turn, and after each `wake`. False if
  /// `nested_upcall_depth_max` calls on this thread wait already. Call `engine` first.
  [[nodiscard]] virtual bool drive_until(function_ref<bool()> done, Deadline until) = 0;
  /// Lets the threads that run the loop, or wait for it, call `done` again.
  virtual void wake() noexcept = 0;

 protected:
  ~CallDriver() = default;
};

}  // namespace perigee::orb
