// run: runs a task from code that is not a coroutine.
#pragma once

#include <perigee/async/task.h>
#include <perigee/base/export.h>
#include <perigee/event/reactor.h>
#include <perigee/event/task.h>

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
  void note_end() { ended_ = true; }
  void turn() noexcept;

  event::Reactor& reactor_;
  event::MemberTask<Driver, &Driver::note_end> end_task_{*this};
  bool ended_ = false;              ///< accessed by the driving thread only
  std::atomic<bool> left_ = false;  ///< the thread that ended the task uses this object no more
};

}  // namespace async::detail

/// Begins the task on the calling thread, and runs turns of the reactor until the task has ended.
/// Then gives the task's value or throws its exception. The task may end on any thread. No other
/// thread may run the reactor meanwhile. A handler of the reactor may call this function: the turns
/// then nest. Exceptions that other tasks and timers throw meanwhile are logged.
template <typename T>
T run(event::Reactor& reactor, task<T> work, const std::stop_token& stop = {}) {
  async::detail::OwnedFrame<T> frame = async::detail::TaskAccess::take(std::move(work));
  async::detail::Driver(reactor).drive(frame.promise(), frame.get(), stop);
  return frame.promise().result().take();
}

}  // namespace perigee
