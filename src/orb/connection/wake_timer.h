// A thread that sleeps until something is due. There is none until something is.
#pragma once

#include "event/thread.h"
#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

namespace perigee::orb {

/// Any thread, but `stop` is not for the timer's own.
class WakeTimer {
 public:
  /// Does what is due, and says when to come again. Called without locks; may throw
  /// std::exception: it is called again a little later.
  using Work = std::function<Deadline(TimePoint now)>;

  WakeTimer(const Clock& clock, Work work) : clock_(clock), work_(std::move(work)) {}
  ~WakeTimer() { stop(); }
  WakeTimer(const WakeTimer&) = delete;
  WakeTimer& operator=(const WakeTimer&) = delete;

  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
  [[nodiscard]] TimePoint now() const { return clock_.now(); }
  /// There will be something to do then. Does nothing after `stop`, nor without memory for a
  /// thread.
  void wake_at(Deadline due) noexcept;
  /// Waits for work that goes on.
  void stop() noexcept;

 private:
  void run() noexcept;
  void wait(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] Deadline work() noexcept;

  const Clock& clock_;
  const Work work_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  Deadline due_;
  bool stopped_ = false;
  event::Thread thread_;
};

}  // namespace perigee::orb
