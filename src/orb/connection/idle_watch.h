// Whether something has been idle for a time: seen by whoever looks at it from time to time, so
// that what passes looks at no clock.
#pragma once

#include <perigee/base/clock.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace perigee::orb {

/// One connection's. Used by one thread at a time.
class IdleWatch {
 public:
  /// Whether `activity`, a count of what has passed, has stood still for `limit`, as far as those
  /// who called have seen.
  [[nodiscard]] bool is_over(std::uint64_t activity, TimePoint now, Duration limit) noexcept {
    if (!watching_ || activity != activity_) {
      watching_ = true;
      activity_ = activity;
      since_ = now;
    }
    return now - since_ >= limit;
  }

 private:
  bool watching_ = false;
  std::uint64_t activity_ = 0;
  TimePoint since_;
};

/// How often to look: what is idle ends at most 1/8 later, or 10 seconds. Zero, never, for zero.
constexpr std::chrono::milliseconds idle_watch_period(std::chrono::milliseconds limit) noexcept {
  if (limit <= std::chrono::milliseconds::zero()) return {};
  return std::clamp(limit / 8, std::chrono::milliseconds(1), std::chrono::milliseconds(10'000));
}

}  // namespace perigee::orb
