// The clock interface: everything that looks at the time is given one, so that tests can hold time
// still.
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

/// The process's clock (CLOCK_MONOTONIC). Lives for ever.
PERIGEE_API const Clock& steady_clock() noexcept;

}  // namespace perigee
