// Sleeping until a time, by a reactor's timers.
#pragma once

#include <perigee/async/task.h>
#include <perigee/base/clock.h>
#include <perigee/base/counted_ptr.h>
#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/event/reactor.h>

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <optional>
#include <stop_token>

namespace perigee {

namespace orb {
class SlotValues;
}

namespace async::detail {

/// Allocates nothing: the timer is a part of the sleep, which lives in the task's frame.
class PERIGEE_API Sleep {
 public:
  Sleep(event::Reactor& reactor, Deadline deadline) noexcept
      : reactor_(reactor), deadline_(deadline) {}
  /// Moves a sleep that has not been awaited yet, so that `as_task` can keep it.
  Sleep(Sleep&& other) noexcept : Sleep(other.reactor_, other.deadline_) {}
  Sleep& operator=(const Sleep&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Parent>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Parent> task) {
    if constexpr (HasStopToken<Parent>) stop_ = &lent_stop_token_of(task.promise());
    return suspend(task);
  }
  bool await_resume() noexcept {
    on_stop_.reset();
    return slept_;
  }

 private:
  class OnStop {
   public:
    explicit OnStop(Sleep& sleep) noexcept : sleep_(sleep) {}
    void operator()() const noexcept { sleep_.stopped(); }

   private:
    Sleep& sleep_;
  };

  [[nodiscard]] bool suspend(std::coroutine_handle<> task);
  void resume();
  [[nodiscard]] bool begin();
  void begin_on_loop();
  void fired();
  void stopped() noexcept;

  /// Bits of `state_`. The suspension of the task sets one bit, and the end of the sleep sets the
  /// other. The thread that completes the pair continues the task.
  static constexpr std::uint8_t suspended = 1;
  static constexpr std::uint8_t ended = 2;

  event::Reactor& reactor_;
  const Deadline deadline_;
  std::coroutine_handle<> task_;
  // The slots of the task: see PortableInterceptor::Current.
  counted_ptr<const orb::SlotValues> slots_;
  const std::stop_token* stop_ = nullptr;
  bool slept_ = false;
  std::atomic<bool> stop_requested_ = false;
  std::atomic<std::uint8_t> state_ = 0;
  event::MemberTask<Sleep, &Sleep::begin_on_loop> begin_{*this};  // for other threads
  event::MemberTimer<Sleep, &Sleep::fired> timer_{*this};
  std::optional<std::stop_callback<OnStop>> on_stop_;  // last: its destructor waits for `stopped`
};

}  // namespace async::detail

/// `co_await sleep_until(reactor, time)`: the reactor's thread resumes the task at `time`, by the
/// reactor's clock. The result is true. If the task is asked to stop, or the reactor is closed, the
/// sleep ends earlier and the result is false. The reactor must outlive the wait. Any thread.
[[nodiscard]] inline async::detail::Sleep sleep_until(event::Reactor& reactor,
                                                      TimePoint time) noexcept {
  return {reactor, Deadline::at(time)};
}
/// The same, `duration` from now. Any duration is allowed.
template <typename Rep, typename Period>
[[nodiscard]] async::detail::Sleep sleep_for(event::Reactor& reactor,
                                             std::chrono::duration<Rep, Period> duration) noexcept {
  return {reactor, Deadline::after(duration, reactor.clock().now())};
}
/// `clock` must be the clock of the reactor.
template <typename Rep, typename Period>
[[nodiscard]] async::detail::Sleep sleep_for(event::Reactor& reactor,
                                             std::chrono::duration<Rep, Period> duration,
                                             const Clock& clock) noexcept {
  return {reactor, Deadline::after(duration, clock.now())};
}

}  // namespace perigee
