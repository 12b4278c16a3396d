// retry for tasks: repeats a call that the server has not executed. No thread waits meanwhile.
#pragma once

#include <perigee/async/as_task.h>
#include <perigee/async/on_orb.h>
#include <perigee/async/sleep.h>
#include <perigee/async/task.h>
#include <perigee/base/clock.h>
#include <perigee/event/reactor.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/orb.h>
#include <perigee/orb/retry.h>

#include <concepts>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace perigee {

namespace async::detail {

[[nodiscard]] inline event::Reactor& loop_of(event::Reactor* reactor) noexcept { return *reactor; }
[[nodiscard]] inline event::Reactor& loop_of(const CORBA::object_reference<CORBA::ORB>& orb) {
  return reactor_of(orb);
}

template <typename Where, typename Attempt>
task<Awaited<std::invoke_result_t<Attempt&>>> retry_on(Where where, Attempt attempt,
                                                       RetrySchedule schedule) {
  RetryDelays delays(schedule, loop_of(where).clock());
  while (true) {
    std::exception_ptr last;
    std::optional<Duration> delay;
    try {
      auto call = attempt();
      co_return co_await std::move(call);
    } catch (const CORBA::SystemException& failure) {
      delay = delays.after(failure);
      if (!delay) throw;
      last = std::current_exception();
    }
    const bool slept = co_await sleep_for(loop_of(where), *delay);
    if (!slept) std::rethrow_exception(last);
  }
}

}  // namespace async::detail

/// `co_await retry(orb, [&] { return quoter->_async().get_quote("IBM"); })`: awaits the call or
/// task that `attempt()` returns, and gives its result. If the attempt fails with an exception that
/// `schedule.retry_if` accepts (by default TRANSIENT with COMPLETED_NO), `retry` waits as
/// `sleep_for(orb, delay)` does, and calls `attempt` again. If the last attempt fails, throws its
/// exception. An exception that `schedule.retry_if` does not accept ends the task at once. If the
/// task is asked to stop during a delay, throws the exception of the last attempt.
///
/// The task keeps `attempt` until the task ends. The ORB must outlive the task. The task raises
/// BAD_PARAM for a bad schedule, and the exceptions of `reactor_of`. With g++ 12, give the schedule
/// a name before the co_await, and `attempt` too if it captures by value.
template <typename Attempt>
  requires std::invocable<Attempt&>
[[nodiscard]] auto retry(const CORBA::object_reference<CORBA::ORB>& orb, Attempt attempt,
                         const RetrySchedule& schedule = {}) {
  return async::detail::retry_on(orb, std::move(attempt), schedule);
}
/// The same without an ORB. The reactor must outlive the task.
template <typename Attempt>
  requires std::invocable<Attempt&>
[[nodiscard]] auto retry(event::Reactor& reactor, Attempt attempt,
                         const RetrySchedule& schedule = {}) {
  return async::detail::retry_on(&reactor, std::move(attempt), schedule);
}

}  // namespace perigee
