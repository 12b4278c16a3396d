// The thread that looks after a client's idle connections. There is none until something is
// connected.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace perigee::orb {

/// Any thread, but `stop` is not for the sweeper's own.
class IdleSweeper {
 public:
  /// A period of zero: never. `sweep` is called without locks, and may throw std::exception.
  IdleSweeper(std::chrono::milliseconds period, std::function<void()> sweep)
      : period_(period), sweep_(std::move(sweep)) {}
  ~IdleSweeper() { stop(); }
  IdleSweeper(const IdleSweeper&) = delete;
  IdleSweeper& operator=(const IdleSweeper&) = delete;

  /// Sweeps from now on, periodically. Does nothing if it does already, or after `stop`.
  void start() noexcept;
  /// Waits for a sweep that goes on.
  void stop() noexcept;

 private:
  void run() noexcept;

  const std::chrono::milliseconds period_;
  const std::function<void()> sweep_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable stopped_changed_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace perigee::orb
