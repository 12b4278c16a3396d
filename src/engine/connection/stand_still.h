// Finds out whether a count has not changed for a time. The user of a StandStill passes the count
// from time to time.
#pragma once

#include <perigee/base/clock.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace perigee::engine {

/// Counting traffic reads no clock: a watch compares the counters from time to time. Guarded by the
/// lock of its user.
class StandStill {
 public:
  /// Whether `count` has had the same value for `limit`, as far as the callers have seen.
  [[nodiscard]] bool lasted(std::uint64_t count, TimePoint now, Duration limit) noexcept {
    if (!watching_ || count != count_) {
      watching_ = true;
      count_ = count;
      since_ = now;
    }
    return now - since_ >= limit;
  }
  void forget() noexcept { watching_ = false; }

 private:
  bool watching_ = false;
  std::uint64_t count_ = 0;
  TimePoint since_;
};

/// The time between two looks for a stand-still of `limit`: an eighth of `limit`, from 1 ms to 10
/// s. A stand-still is found at most this time too late. A `limit` of zero gives zero: there are no
/// looks.
constexpr std::chrono::milliseconds watch_period(std::chrono::milliseconds limit) noexcept {
  if (limit <= std::chrono::milliseconds::zero()) return {};
  return std::clamp(limit / 8, std::chrono::milliseconds(1), std::chrono::milliseconds(10'000));
}

}  // namespace perigee::engine
