// with_scope: a scope that is always joined, even if the body throws.
#pragma once

#include <perigee/async/scope.h>
#include <perigee/async/sleep.h>
#include <perigee/async/task.h>
#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/event/reactor.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <coroutine>
#include <exception>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace perigee {

/// The deadline of the tasks of a scope. When it passes, the reactor's thread asks the tasks to
/// stop. The reactor must outlive the scope.
class scope_deadline {
 public:
  scope_deadline(event::Reactor& reactor, Deadline deadline) noexcept
      : reactor_(&reactor), deadline_(deadline) {}

  [[nodiscard]] event::Reactor& reactor() const noexcept { return *reactor_; }
  [[nodiscard]] Deadline deadline() const noexcept { return deadline_; }

 private:
  event::Reactor* reactor_;
  Deadline deadline_;  // by the reactor's clock
};

/// The deadline after `duration`, as in `co_await with_scope(within(reactor, 100ms), body)`. Any
/// duration is allowed.
template <typename Rep, typename Period>
[[nodiscard]] scope_deadline within(event::Reactor& reactor,
                                    std::chrono::duration<Rep, Period> duration) noexcept {
  return {reactor, Deadline::after(duration, reactor.clock().now())};
}

namespace async::detail {

/// The time until which the result of this task is awaited.
class ThisTimeLimit {
 public:
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> task) noexcept {
    until_ = time_limit_of(task);
    return false;
  }
  [[nodiscard]] Deadline await_resume() const noexcept { return until_; }

 private:
  Deadline until_;
};

/// The deadline, converted from the reactor's clock to std::chrono::steady_clock.
[[nodiscard]] PERIGEE_API Deadline awaited_until(const scope_deadline& deadline) noexcept;
/// Calls `tasks.end_in_time()` at the deadline, unless this task is asked to stop before.
[[nodiscard]] PERIGEE_API task<> end_at(scope_deadline deadline, scope& tasks);
[[noreturn]] PERIGEE_API void raise_scope_timeout();

}  // namespace async::detail

/// `co_await with_scope([&](scope& tasks) -> task<> { … })`: runs the body as the first task of a
/// scope, and waits for the body and all tasks that it started. A stop request to the awaiting task
/// also stops the tasks of the scope. When the awaiting task's time is over, the calls that the
/// tasks await end with TIMEOUT. When all tasks have ended, throws the exception of the first task
/// that failed. The body counts as one of the tasks.
///
/// With `on_error::cancel`, a failure of any task, or of the body, asks all other tasks to stop.
/// The body is kept until all tasks have ended, so it may be a lambda with captures. It must not
/// join the scope. Allocates once, like every scope, and needs two more coroutine frames.
template <typename Body>
  requires std::same_as<std::invoke_result_t<Body&, scope&>, task<>>
task<> with_scope(Body body, scope::on_error policy = scope::on_error::cancel) {
  const std::stop_token stop = co_await stop_token_of_this_task();
  const Deadline until = co_await async::detail::ThisTimeLimit();
  scope tasks(stop, policy);
  tasks.set_awaited_until(until);
  tasks.start(body(tasks));
  co_await tasks.join();
}

/// The same with a deadline. When it has passed, calls that the tasks await end with TIMEOUT, and
/// the tasks are asked to stop. If tasks were still running at the deadline, throws CORBA::TIMEOUT,
/// COMPLETED_MAYBE, once all have ended. An exception that a task threw before the deadline is
/// thrown instead. If all tasks end before the deadline, the reactor's thread resumes the awaiting
/// task; otherwise, the thread on which the last task has ended. Allocates twice, and needs three
/// more coroutine frames.
template <typename Body>
  requires std::same_as<std::invoke_result_t<Body&, scope&>, task<>>
task<> with_scope(scope_deadline deadline, Body body,
                  scope::on_error policy = scope::on_error::cancel) {
  const std::stop_token stop = co_await stop_token_of_this_task();
  const Deadline until = co_await async::detail::ThisTimeLimit();
  scope tasks(stop, policy);
  tasks.set_awaited_until(std::min(until, async::detail::awaited_until(deadline)));
  scope timer(stop);
  task<> first = body(tasks);
  timer.start(async::detail::end_at(deadline, tasks));
  std::exception_ptr failure;
  try {
    tasks.start(std::move(first));  // throws if the body has returned an empty task
    co_await tasks.join();
  } catch (...) {
    failure = std::current_exception();
  }
  timer.request_stop();
  co_await timer.join();
  if (failure) std::rethrow_exception(failure);
  if (tasks.timed_out()) async::detail::raise_scope_timeout();
}

}  // namespace perigee
