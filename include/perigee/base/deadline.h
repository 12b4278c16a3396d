// Deadline: the latest end of an operation.
#pragma once

#include <perigee/base/clock.h>

#include <algorithm>
#include <chrono>
#include <compare>

namespace perigee {

/// A point in time at which waiting ends, or `never`. A value. A deadline has no clock: the waiting
/// object passes the present time of its own clock.
///
/// Code that waits until a point in time receives it as a Deadline. Only option tables use zero or
/// the largest duration for "no limit"; the code that reads such an option converts it to a
/// Deadline.
class Deadline {
 public:
  /// Never passes.
  constexpr Deadline() noexcept = default;
  [[nodiscard]] static constexpr Deadline never() noexcept { return {}; }
  /// A deadline that has passed: an operation with it tries once, and does not wait.
  [[nodiscard]] static constexpr Deadline immediately() noexcept { return at(TimePoint::min()); }
  [[nodiscard]] static constexpr Deadline at(TimePoint time) noexcept { return Deadline(time); }
  /// Saturates: no duration overflows. A negative duration gives a deadline that has passed.
  template <typename Rep, typename Period>
  [[nodiscard]] static constexpr Deadline after(std::chrono::duration<Rep, Period> duration,
                                                TimePoint now) noexcept {
    const Duration time = saturated(duration);
    const Duration since = now.time_since_epoch();
    if (since >= Duration::zero() && time > latest.time_since_epoch() - since) return at(latest);
    if (since < Duration::zero() && time < Duration::min() - since) return at(TimePoint::min());
    return Deadline(now + time);
  }

  [[nodiscard]] constexpr bool is_never() const noexcept { return end_ == TimePoint::max(); }
  [[nodiscard]] constexpr bool passed(TimePoint now) const noexcept {
    return !is_never() && now >= end_;
  }
  /// The time that is left, at least zero. Duration::max() if the deadline never passes.
  [[nodiscard]] constexpr Duration left(TimePoint now) const noexcept {
    if (is_never()) return Duration::max();
    if (now >= end_) return Duration::zero();
    const Duration since = now.time_since_epoch();
    if (since < Duration::zero() && end_.time_since_epoch() > Duration::max() + since)
      return Duration::max();
    return end_ - now;
  }
  /// The time point. For `never`: the largest time point.
  [[nodiscard]] constexpr TimePoint time() const noexcept { return end_; }

  /// `never` is later than all others.
  friend constexpr auto operator<=>(const Deadline&, const Deadline&) noexcept = default;

 private:
  explicit constexpr Deadline(TimePoint end) noexcept : end_(std::min(end, latest)) {}

  template <typename Rep, typename Period>
  [[nodiscard]] static constexpr Duration saturated(
      std::chrono::duration<Rep, Period> duration) noexcept {
    using Wide = std::chrono::duration<double, Duration::period>;  // holds all values, rounded
    if (Wide(duration) >= Wide(Duration::max())) return Duration::max();
    if (Wide(duration) <= Wide(Duration::min())) return Duration::min();
    return std::chrono::duration_cast<Duration>(duration);
  }

  /// The latest deadline other than `never`. The largest time point stands for `never`, in this
  /// class only.
  static constexpr TimePoint latest = TimePoint::max() - Duration(1);

  TimePoint end_ = TimePoint::max();
};

}  // namespace perigee
