// A sleeper whose sleeps end at once. They move its clock.
#pragma once

#include "support/fake_clock.h"
#include <perigee/orb/retry.h>

#include <vector>

namespace perigee::test {

/// Not thread-safe.
class FakeSleeper final : public Sleeper {
 public:
  [[nodiscard]] TimePoint now() const noexcept override { return clock_.now(); }
  void sleep(Duration time) override {
    slept_.push_back(time);
    clock_.advance(time);
  }
  void advance(Duration time) noexcept { clock_.advance(time); }
  /// The sleeps so far.
  [[nodiscard]] const std::vector<Duration>& slept() const noexcept { return slept_; }

 private:
  FakeClock clock_;
  std::vector<Duration> slept_;
};

}  // namespace perigee::test
