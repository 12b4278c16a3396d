// A point in time up to which a system call may be repeated. Private to ipc.
#pragma once

#include <perigee/ipc/result.h>

#include <algorithm>
#include <chrono>

namespace perigee::ipc {

/// Made of a TimeLimit when waiting begins. The kernel waits in real time, so this class uses the
/// process's clock, not a given clock.
class Deadline {
 public:
  explicit Deadline(TimeLimit limit) noexcept : limit_(limit) {
    if (!limit.is_forever() && !limit.is_no_wait()) end_ = Clock::now() + limit.duration();
  }
  [[nodiscard]] bool is_forever() const noexcept { return limit_.is_forever(); }
  [[nodiscard]] bool is_no_wait() const noexcept { return limit_.is_no_wait(); }
  /// The time left, never negative. Zero for `no_wait`. Must not be called for `forever`, which has
  /// no end.
  [[nodiscard]] std::chrono::nanoseconds left() const noexcept {
    if (limit_.is_no_wait()) return std::chrono::nanoseconds::zero();
    return std::max(std::chrono::nanoseconds(end_ - Clock::now()),
                    std::chrono::nanoseconds::zero());
  }
  [[nodiscard]] bool has_passed() const noexcept {
    return !limit_.is_forever() && left() == std::chrono::nanoseconds::zero();
  }
  /// The time left, as a limit for the next call.
  [[nodiscard]] TimeLimit remaining() const noexcept {
    return is_forever() || limit_.is_no_wait() ? limit_ : TimeLimit(left());
  }

 private:
  using Clock = std::chrono::steady_clock;
  TimeLimit limit_;
  Clock::time_point end_{};
};

/// How a wait ended.
struct Waited {
  int error = 0;  ///< 0 or an errno: EAGAIN with `no_wait`, ETIMEDOUT when the deadline passed
  bool hung_up = false;  ///< both directions have ended
};

/// Waits until `fd` is ready for `events` (poll's flags).
[[nodiscard]] Waited wait_ready(int fd, short events, const Deadline& deadline) noexcept;

}  // namespace perigee::ipc
