// Waiting for time to pass, by a reactor's timers.
#pragma once

#include <perigee/async/task.h>
#include <perigee/base/clock.h>
#include <perigee/base/export.h>
#include <perigee/event/reactor.h>

#include <atomic>
#include <coroutine>
#include <optional>
#include <stop_token>

namespace perigee {

namespace async::detail {

class PERIGEE_API Sleep {
 public:
  Sleep(event::Reactor& reactor, TimePoint time) noexcept : reactor_(reactor), time_(time) {}
  /// Before it is awaited: so that `as_task` can keep it.
  Sleep(Sleep&& other) noexcept : Sleep(other.reactor_, other.time_) {}
  Sleep& operator=(const Sleep&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Parent>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Parent> task) {
    if constexpr (HasStopToken<Parent>) stop_ = &task.promise().stop_token();
    return suspend(task);
  }
  bool await_resume() const noexcept { return slept_; }

 private:
  class OnStop {
   public:
    explicit OnStop(Sleep& sleep) noexcept : sleep_(sleep) {}
    void operator()() const noexcept { sleep_.stopped(); }

   private:
    Sleep& sleep_;
  };

  [[nodiscard]] bool suspend(std::coroutine_handle<> task);
  void arm();
  void timer_ran();
  void stopped() noexcept;
  void end_early();

  event::Reactor& reactor_;
  TimePoint time_;
  std::coroutine_handle<> task_;
  const std::stop_token* stop_ = nullptr;
  event::TimerId timer_ = 0;
  bool slept_ = false;
  /// By the timer or by the stop request, whichever comes first; it resumes the task, on the loop's
  /// thread.
  std::atomic<bool> claimed_ = false;
  std::optional<std::stop_callback<OnStop>> on_stop_;
};

}  // namespace async::detail

/// `co_await sleep_until(reactor, time)`: goes on on the reactor's thread at `time`, by the
/// reactor's clock, and gives true; earlier and with false if the task's stop token is asked.
/// The reactor must outlive the wait. Any thread.
[[nodiscard]] inline async::detail::Sleep sleep_until(event::Reactor& reactor,
                                                      TimePoint time) noexcept {
  return async::detail::Sleep(reactor, time);
}
/// The same, `duration` from now by `clock`, which is to be the reactor's.
[[nodiscard]] inline async::detail::Sleep sleep_for(event::Reactor& reactor, Duration duration,
                                                    const Clock& clock = steady_clock()) noexcept {
  return async::detail::Sleep(reactor, clock.now() + duration);
}

}  // namespace perigee
