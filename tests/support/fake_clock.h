// A clock that stands still until a test moves it.
#pragma once

#include <perigee/base/clock.h>

#include <atomic>

namespace perigee::test {

/// Begins an hour after the epoch of the clock. Any thread.
class FakeClock final : public Clock {
 public:
  [[nodiscard]] TimePoint now() const noexcept override {
    return TimePoint(Duration(since_epoch_.load()));
  }
  void advance(Duration step) noexcept { since_epoch_ += step.count(); }

 private:
  std::atomic<Duration::rep> since_epoch_ = Duration(std::chrono::hours(1)).count();
};

}  // namespace perigee::test
