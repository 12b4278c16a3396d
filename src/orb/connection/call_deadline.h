// Until when a call may take, as RelativeRoundtripTimeoutPolicy says.
#pragma once

#include <perigee/base/deadline.h>

#include <algorithm>
#include <chrono>

namespace perigee::orb {

/// The end of one call's time. A value on the caller's stack.
class CallDeadline {
 public:
  /// `limit` counts from now; more than zero. The clock outlives the deadline.
  explicit CallDeadline(std::chrono::microseconds limit,
                        const Clock& clock = steady_clock()) noexcept
      : clock_(&clock), limit_(limit), end_(clock.now() + limit) {}

  [[nodiscard]] Deadline deadline() const noexcept { return Deadline::at(end_); }
  /// In the time of the clock that it was made with.
  [[nodiscard]] TimePoint end() const noexcept { return end_; }
  [[nodiscard]] bool expired() const noexcept { return clock_->now() >= end_; }
  /// Rounded up; zero once it is over.
  [[nodiscard]] std::chrono::microseconds left() const noexcept {
    const auto left = std::chrono::ceil<std::chrono::microseconds>(end_ - clock_->now());
    return std::max(left, std::chrono::microseconds::zero());
  }
  /// What to set a socket's time-out to: the whole limit while almost all of it is left, so that
  /// calls with the same limit need no system call for it. Up to 1/64 too long; never zero.
  [[nodiscard]] std::chrono::microseconds socket_timeout() const noexcept {
    const auto rest = left();
    if (rest > limit_ - limit_ / 64) return limit_;
    return std::max(rest, std::chrono::microseconds(1));
  }

 private:
  const Clock* clock_;
  std::chrono::microseconds limit_;
  TimePoint end_;
};

}  // namespace perigee::orb
