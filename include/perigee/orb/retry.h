// retry: repeats a call that the server has not executed, with growing delays between the attempts.
// <perigee/async/retry.h> has the same for tasks.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/orb/exceptions.h>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>

namespace perigee {

/// True for TRANSIENT with COMPLETED_NO: the server has not executed the call.
[[nodiscard]] PERIGEE_API bool is_transient(const CORBA::SystemException& failure) noexcept;

/// How often a call is attempted, and how long the delays are.
///
/// The first delay is `first_delay`. Each further delay is `factor` times the delay before it, and
/// `delay_max` at most. Then a random part of the delay is left out: at most the fraction `jitter`
/// of the delay. So many clients that failed at the same time do not try again at the same time.
struct RetrySchedule {
  std::uint32_t attempts_max = 5;  ///< including the first attempt; at least 1
  Duration first_delay = std::chrono::milliseconds(100);
  double factor = 2;  ///< at least 1
  Duration delay_max = std::chrono::seconds(5);
  double jitter = 0.5;  ///< 0 (no randomness) to 1
  /// The time from the first attempt. An attempt that would begin later is not made. The time does
  /// not end an attempt that is in progress: use `with_timeout`, of <perigee/orb/with_policies.h>.
  Duration time_max = Duration::max();
  /// Whether the call is attempted again after this failure. With a function that accepts other
  /// failures, the server may execute the call twice.
  bool (*retry_if)(const CORBA::SystemException& failure) = &is_transient;
};

/// The delays between the attempts of one call. For `retry`, and for loops of your own. Not
/// thread-safe.
class PERIGEE_API RetryDelays {
 public:
  /// The first attempt begins now. The clock must outlive the object. Raises BAD_PARAM, with the
  /// name of the member, for a value of the schedule that is out of its range.
  RetryDelays(const RetrySchedule& schedule, const Clock& clock);

  /// The delay before the next attempt, after this failure. Empty: the call has failed for good.
  [[nodiscard]] std::optional<Duration> after(const CORBA::SystemException& failure);

 private:
  const RetrySchedule schedule_;
  const Clock& clock_;
  const Deadline deadline_;
  std::uint32_t attempts_ = 1;
  double delay_;  // nanoseconds, without jitter
};

/// Reads the time and waits, for `retry`. A test passes a sleeper with a clock that it advances.
class PERIGEE_API Sleeper : public Clock {
 public:
  ~Sleeper() override;
  /// Returns after this time. An exception ends the retries, and leaves `retry`.
  virtual void sleep(Duration time) = 0;
};

/// A sleeper that blocks the calling thread. Any thread. The sleeper is never destroyed.
[[nodiscard]] PERIGEE_API Sleeper& thread_sleeper() noexcept;

/// Calls `attempt()`, and gives its result. If the call fails with TRANSIENT, COMPLETED_NO, waits
/// and calls it again:
///
///     const double balance = perigee::retry([&] { return account->balance(); });
///
/// After the last attempt, its exception leaves `retry`. All other exceptions leave it at once.
/// Blocks the calling thread during the delays: tasks, and upcalls of reactive servers, use
/// <perigee/async/retry.h>. Raises BAD_PARAM for a bad schedule, before the first attempt.
template <typename Attempt>
  requires std::invocable<Attempt&>
std::invoke_result_t<Attempt&> retry(Attempt&& attempt, const RetrySchedule& schedule = {},
                                     Sleeper& sleeper = thread_sleeper()) {
  RetryDelays delays(schedule, sleeper);
  while (true) {
    std::optional<Duration> delay;
    try {
      return std::invoke(attempt);
    } catch (const CORBA::SystemException& failure) {
      delay = delays.after(failure);
      if (!delay) throw;
    }
    sleeper.sleep(*delay);
  }
}

}  // namespace perigee
