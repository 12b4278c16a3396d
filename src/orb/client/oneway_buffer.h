// Oneways of one connection that wait to be sent together (SYNC_NONE).
#pragma once

#include "orb/call_deadline.h"
#include "orb/client/flush_timer.h"
#include "orb/connection.h"
#include <perigee/base/clock.h>
#include <perigee/cdr/buffer.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace perigee::orb {

/// When what waits is sent; zero: not for that reason.
struct BufferingLimits {
  std::uint32_t count = 0;
  std::size_t octets = 64 * 1024;
  std::chrono::microseconds timeout{1000};
};

/// Copies of requests, in the order in which they came. Any thread. Whoever sends what waits keeps
/// the lock until it is sent: so nothing that a thread sends afterwards can be faster.
class OnewayBuffer final {
 public:
  /// `timer` may be null; `ledger`, too. All outlive the buffer.
  OnewayBuffer(Connection& connection, FlushTimer* timer, TrafficLedger* ledger) noexcept
      : connection_(connection), timer_(timer), ledger_(ledger) {}
  ~OnewayBuffer();
  OnewayBuffer(const OnewayBuffer&) = delete;
  OnewayBuffer& operator=(const OnewayBuffer&) = delete;

  /// What the calling thread has put there is seen.
  [[nodiscard]] bool empty() const noexcept { return count_.load(std::memory_order_relaxed) == 0; }
  /// Puts a finished message behind the others, and sends them if a limit is reached. `timed_out`:
  /// the deadline has passed, and the message is not there.
  SendStatus put(const cdr::Buffer& message, const BufferingLimits& limits,
                 const CallDeadline* deadline);
  /// Sends all. `timed_out`: the deadline has passed before anything got out.
  SendStatus flush(const CallDeadline* deadline);
  /// The same; a peer that takes nothing until the deadline loses the connection, and what waits
  /// for it is lost.
  void flush_or_close(const CallDeadline& deadline);
  /// The same if they have waited long enough. Says when those that go on waiting are due.
  TimePoint flush_due(TimePoint now, const CallDeadline& deadline);

 private:
  [[nodiscard]] bool lock(std::unique_lock<std::timed_mutex>& lock,
                          const CallDeadline* deadline) const;
  void append(const cdr::Buffer& message, const BufferingLimits& limits);
  SendStatus send_all(const CallDeadline* deadline);
  void send_or_close(const CallDeadline& deadline);
  void forget() noexcept;
  void lose() noexcept;

  Connection& connection_;
  FlushTimer* const timer_;
  TrafficLedger* const ledger_;
  std::atomic<std::uint32_t> count_{0};  // changes under the mutex
  std::timed_mutex mutex_;               // guards what follows
  cdr::Buffer messages_;
  TimePoint due_ = FlushTimer::never;
  std::chrono::microseconds due_after_{0};  // the time limit that `due_` comes from
};

}  // namespace perigee::orb
