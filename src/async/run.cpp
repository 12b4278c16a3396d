// Driving a reactor until a task has ended, on whichever thread.
#include <perigee/async/run.h>
#include <perigee/base/log.h>

#include <exception>
#include <thread>

namespace perigee::async::detail {

void Driver::drive(PromiseBase& promise, std::coroutine_handle<> frame,
                   const std::stop_token& stop) {
  promise.begin(frame, stop, &ended, this);
  while (!ended_) turn();
  // It may still be inside `post`; the reactor may go when we have returned.
  while (!left_.load(std::memory_order_acquire)) std::this_thread::yield();
}

// What somebody else's task throws must not end this: the task refers to what would be gone.
void Driver::turn() noexcept {
  try {
    reactor_.run_once(Deadline::never());
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "async", exception.what());
  }
}

void Driver::ended(PromiseBase& /*promise*/, void* self) noexcept {
  Driver& driver = *static_cast<Driver*>(self);
  driver.reactor_.post([&driver] { driver.ended_ = true; });
  driver.left_.store(true, std::memory_order_release);
}

}  // namespace perigee::async::detail
