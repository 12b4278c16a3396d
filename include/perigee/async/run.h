// run: from ordinary code into a task and back.
#pragma once

#include <perigee/async/task.h>
#include <perigee/base/export.h>
#include <perigee/event/reactor.h>

#include <atomic>
#include <coroutine>
#include <stop_token>
#include <utility>

namespace perigee {

namespace async::detail {

/// Drives a reactor until a task has ended.
class PERIGEE_API Driver {
 public:
  explicit Driver(event::Reactor& reactor) noexcept : reactor_(reactor) {}
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  void drive(PromiseBase& promise, std::coroutine_handle<> frame, const std::stop_token& stop);

 private:
  static void ended(PromiseBase& promise, void* self) noexcept;
  void turn() noexcept;

  event::Reactor& reactor_;
  bool ended_ = false;              ///< belongs to the driving thread
  std::atomic<bool> left_ = false;  ///< the thread where the task ended needs us no more
};

}  // namespace async::detail

/// Begins the task on the calling thread and runs turns of the reactor until it has ended, wherever
/// that is; then gives its value or throws what it threw. The calling thread must be the one that
/// runs the reactor, if any does: inside a handler the turns nest. What others' tasks and timers
/// throw meanwhile is logged.
template <typename T>
T run(event::Reactor& reactor, task<T> work, const std::stop_token& stop = {}) {
  async::detail::OwnedFrame<T> frame = async::detail::TaskAccess::take(std::move(work));
  async::detail::Driver(reactor).drive(frame.promise(), frame.get(), stop);
  return frame.promise().result().take();
}

}  // namespace perigee
