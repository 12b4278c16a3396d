// A wait for a change of state that ends at a deadline.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace perigee::orb {

/// Waits for a notification once, holding `lock` before and afterwards. May return early. False if
/// the deadline has passed without a notification.
[[nodiscard]] inline bool await_change(std::condition_variable& changed,
                                       std::unique_lock<std::mutex>& lock, Deadline end,
                                       const Clock& clock) {
  // A limit for each wait: the standard library adds the duration to its clock, which may overflow.
  constexpr std::chrono::hours wait_max{1};
  if (end.is_never()) {
    changed.wait(lock);
    return true;
  }
  const Duration left = std::min<Duration>(end.left(clock.now()), wait_max);
  return changed.wait_for(lock, left) == std::cv_status::no_timeout || !end.passed(clock.now());
}

}  // namespace perigee::orb
