// Tasks on an ORB's threads: its event loops run the tasks' timers and resume the tasks.
#pragma once

#include <perigee/async/executor.h>
#include <perigee/async/sleep.h>
#include <perigee/async/with_scope.h>
#include <perigee/base/export.h>
#include <perigee/orb/orb.h>

#include <chrono>

namespace perigee {

/// The event loop that drives the asynchronous calls which this thread begins. On a thread that
/// serves requests, it is the server's loop that this thread runs. On other threads, it is the loop
/// that ORB::run, ORB::perform_work and `run(orb, task)` run. The loop lives as long as the ORB.
/// Any thread. Raises BAD_PARAM for a nil ORB; BAD_INV_ORDER, OMG minor 4, after the ORB's
/// shutdown; NO_RESOURCES if the system has no resources for the loop.
[[nodiscard]] PERIGEE_API event::Reactor& reactor_of(
    const CORBA::object_reference<CORBA::ORB>& orb);

/// `co_await sleep_for(orb, duration)`: a thread that runs `reactor_of(orb)` resumes the task after
/// this time, by the ORB's clock. The result is true. If the task is asked to stop, or the ORB's
/// shutdown is complete, the sleep ends earlier and the result is false. Any duration is allowed.
/// The ORB must outlive the wait. The ORB of a servant always outlives the waits of its tasks.
template <typename Rep, typename Period>
[[nodiscard]] async::detail::Sleep sleep_for(const CORBA::object_reference<CORBA::ORB>& orb,
                                             std::chrono::duration<Rep, Period> duration) {
  return sleep_for(reactor_of(orb), duration);
}

/// `co_await with_scope(within(orb, 100ms), body)`: see <perigee/async/with_scope.h>.
template <typename Rep, typename Period>
[[nodiscard]] scope_deadline within(const CORBA::object_reference<CORBA::ORB>& orb,
                                    std::chrono::duration<Rep, Period> duration) {
  return within(reactor_of(orb), duration);
}

/// Resumes tasks on a thread that runs `reactor_of(orb)`.
[[nodiscard]] inline executor on(const CORBA::object_reference<CORBA::ORB>& orb) {
  return on(reactor_of(orb));
}

}  // namespace perigee
