// The clock interface. Code that reads the time is given a clock, so that tests can stop the time.
#pragma once

#include <perigee/base/export.h>

#include <chrono>

namespace perigee {

using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// Source of monotonic time. Any thread.
class PERIGEE_API Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual TimePoint now() const noexcept = 0;
};

/// The process's clock (CLOCK_MONOTONIC). It is never destroyed.
PERIGEE_API const Clock& steady_clock() noexcept;

}  // namespace perigee
