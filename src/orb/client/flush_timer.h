// The thread that sends oneways which have waited long enough. There is none until one waits.
#pragma once

#include <perigee/base/clock.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace perigee::orb {

/// Any thread, but `stop` is not for the timer's own.
class FlushTimer {
 public:
  static constexpr TimePoint never = TimePoint::max();
  /// Sends what is due, and says when to come again. Called without locks; may throw
  /// std::exception.
  using Flush = std::function<TimePoint(TimePoint now)>;

  FlushTimer(const Clock& clock, Flush flush) : clock_(clock), flush_(std::move(flush)) {}
  ~FlushTimer() { stop(); }
  FlushTimer(const FlushTimer&) = delete;
  FlushTimer& operator=(const FlushTimer&) = delete;

  [[nodiscard]] TimePoint now() const { return clock_.now(); }
  /// There will be something to send then. Does nothing after `stop`.
  void wake_at(TimePoint due) noexcept;
  /// Waits for a flush that goes on.
  void stop() noexcept;

 private:
  void run() noexcept;
  void wait(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] TimePoint flush() noexcept;

  const Clock& clock_;
  const Flush flush_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  TimePoint due_ = never;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace perigee::orb
