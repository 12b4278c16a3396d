// The time for which the client still waits for the reply, for servants that are coroutines.
#pragma once

#include <perigee/async/task.h>
#include <perigee/base/clock.h>

#include <chrono>
#include <coroutine>
#include <optional>

namespace perigee {

namespace async::detail {

class ThisRemainingTime {
 public:
  using Time = std::optional<std::chrono::microseconds>;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> task) noexcept {
    until_ = time_limit_of(task);
    return false;
  }
  [[nodiscard]] Time await_resume() const noexcept {
    if (until_.is_never()) return std::nullopt;
    return std::chrono::ceil<std::chrono::microseconds>(until_.left(steady_clock().now()));
  }

 private:
  Deadline until_;
};

}  // namespace async::detail

/// `const auto left = co_await perigee::remaining_time_of_this_task();`: how long the client of the
/// coroutine servant still waits. The result is a std::optional<std::chrono::microseconds>. The
/// task is the coroutine servant, or a task that the servant awaits. The time is known if the
/// client has sent it (see <perigee/poa/remaining_time.h>). It is unknown to tasks of a `scope`
/// that was made without `with_scope`. Calls that the task awaits inherit the time. The expression
/// does not suspend the task.
[[nodiscard]] inline async::detail::ThisRemainingTime remaining_time_of_this_task() noexcept {
  return {};
}

}  // namespace perigee
