// Oneways of one connection that wait to be sent together (SYNC_NONE).
#pragma once

#include "orb/connection/call_deadline.h"
#include "orb/connection/connection.h"
#include "orb/connection/wake_timer.h"
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
  OnewayBuffer(Connection& connection, WakeTimer* timer, TrafficLedger* ledger) noexcept
      : connection_(connection), timer_(timer), ledger_(ledger) {}
  /// What still waits is lost.
  ~OnewayBuffer();
  OnewayBuffer(const OnewayBuffer&) = delete;
  OnewayBuffer& operator=(const OnewayBuffer&) = delete;

  /// How many wait. What the calling thread has put there is seen.
  [[nodiscard]] std::uint32_t count() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool empty() const noexcept { return count() == 0; }

  struct Put {
    SendStatus status = SendStatus::queued;
    bool lost_with_others = false;  ///< it failed after parts may have been sent
  };
  /// Puts a finished message behind the others, and sends them if a limit is reached. `timed_out`:
  /// the deadline has passed, and the message is not there. `failed`: the connection is broken.
  Put put(const cdr::Buffer& message, const BufferingLimits& limits, const CallDeadline* deadline);
  /// Sends all. `timed_out`: the deadline has passed before anything got out.
  SendStatus flush(const CallDeadline* deadline);
  /// The same; but a peer that takes nothing until the deadline loses the connection, and what
  /// waits for it is lost. Not if it is another's message that it does not take.
  void flush_or_close(const CallDeadline& deadline);
  /// The same if they have waited long enough, and the transport takes something. Says when to come
  /// again.
  TimePoint flush_due(TimePoint now, std::chrono::milliseconds patience);

 private:
  [[nodiscard]] bool lock(std::unique_lock<std::timed_mutex>& lock,
                          const CallDeadline* deadline) const;
  void append(const cdr::Buffer& message, const BufferingLimits& limits);
  [[nodiscard]] bool is_full(const BufferingLimits& limits) const noexcept;
  SendStatus send_all(const CallDeadline* deadline);
  void send_or_close(const CallDeadline& deadline);
  [[nodiscard]] bool is_stuck(TimePoint now, std::chrono::milliseconds patience);
  void look_after_queued() noexcept;
  void forget() noexcept;
  void lose(std::uint32_t count) noexcept;

  Connection& connection_;
  WakeTimer* const timer_;
  TrafficLedger* const ledger_;
  std::atomic<std::uint32_t> count_{0};  // changes under the mutex
  std::timed_mutex mutex_;               // guards what follows
  cdr::Buffer messages_;
  TimePoint due_ = WakeTimer::never;
  std::chrono::microseconds due_after_{0};      // the time limit that `due_` comes from
  TimePoint refused_since_ = WakeTimer::never;  // the transport takes nothing
  std::uint32_t queued_count_ = 0;              // sent behind what another thread was sending
  std::uint64_t queued_position_ = 0;
};

}  // namespace perigee::orb
