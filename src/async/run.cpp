// Drives a reactor until a task has ended. The task may end on any thread.
#include <perigee/async/run.h>
#include <perigee/base/log.h>

#include <exception>
#include <thread>

namespace perigee::async::detail {

void Driver::drive(PromiseBase& promise, std::coroutine_handle<> frame,
                   const std::stop_token& stop) {
  promise.begin(frame, stop, &ended, this);
  while (!ended_) turn();
  // The thread that ended the task may still be inside `post`. The caller may destroy the reactor
  // when this function has returned.
  while (!left_.load(std::memory_order_acquire)) std::this_thread::yield();
}

// An exception of another task must not end the loop: the awaited task refers to objects that would
// be destroyed.
void Driver::turn() noexcept {
  try {
    reactor_.run_once(Deadline::never());
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "async", exception.what());
  } catch (...) {
    log::write(log::Level::error, "async", "an exception of an unknown type");
  }
}

void Driver::ended(PromiseBase& /*promise*/, void* self) noexcept {
  Driver& driver = *static_cast<Driver*>(self);
  (void)driver.reactor_.post(driver.end_task_);
  driver.left_.store(true, std::memory_order_release);
}

}  // namespace perigee::async::detail
