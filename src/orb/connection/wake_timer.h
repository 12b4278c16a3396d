// A thread that sleeps until work is due. It starts when the first work is announced.
#pragma once

#include "event/thread.h"
#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>

namespace perigee::orb {

/// Any thread. The timer's own thread must not call `stop`.
class WakeTimer {
 public:
  /// Does the work that is due, and returns when to call it again. Called without locks. May throw
  /// std::exception: then it is called again a little later.
  using Work = std::function<Deadline(TimePoint now)>;

  WakeTimer(const Clock& clock, Work work) : clock_(clock), work_(std::move(work)) {}
  ~WakeTimer() { stop(); }
  WakeTimer(const WakeTimer&) = delete;
  WakeTimer& operator=(const WakeTimer&) = delete;

  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
  [[nodiscard]] TimePoint now() const { return clock_.now(); }
  /// Announces work at this time. False: no thread will do it, since the timer was stopped or a
  /// thread could not be started. The next call tries to start the thread again.
  [[nodiscard]] bool wake_at(Deadline due) noexcept;
  /// Ends the thread, and waits for work in progress. Nothing begins afterwards.
  void stop() noexcept;

 private:
  [[nodiscard]] bool start() noexcept;
  void run() noexcept;
  void wait(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] Deadline work() noexcept;

  const Clock& clock_;
  const Work work_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  Deadline due_;
  bool stopped_ = false;
  bool start_failed_ = false;  // the last start of the thread
  event::Thread thread_;
};

}  // namespace perigee::orb
