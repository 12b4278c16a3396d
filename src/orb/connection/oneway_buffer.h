// Oneways of one connection that are held back, to be sent together (SYNC_NONE).
#pragma once

#include "engine/connection/channel.h"
#include "orb/connection/wake_timer.h"
#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>
#include <perigee/cdr/buffer.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace perigee::orb {

/// The limits at which held messages are sent; zero: no such limit.
struct BufferingLimits {
  std::uint32_t count = 0;
  std::size_t octets = 64 * 1024;
  std::chrono::microseconds timeout{1000};
};

/// The messages wait in the outgoing queue of the connection (OutgoingQueue::hold), so that any
/// other message is sent after them. This class adds the time limit, and counts lost messages. Any
/// thread.
class OnewayBuffer final {
 public:
  /// `timer` and `ledger` may be null. All arguments outlive the buffer.
  OnewayBuffer(engine::Channel& connection, WakeTimer* timer,
               engine::TrafficLedger* ledger) noexcept
      : connection_(connection), timer_(timer), ledger_(ledger) {}
  /// Messages that are not sent by now are lost.
  ~OnewayBuffer();
  OnewayBuffer(const OnewayBuffer&) = delete;
  OnewayBuffer& operator=(const OnewayBuffer&) = delete;

  /// The number of messages that are held back. A thread sees at least its own messages.
  [[nodiscard]] std::uint32_t count() const noexcept { return connection_.held_output(); }
  [[nodiscard]] bool empty() const noexcept { return count() == 0; }
  /// Whether `flush_due` has something to do.
  [[nodiscard]] bool is_watched() const noexcept { return !empty() || refused_.load(); }

  struct Put {
    engine::SendStatus status = engine::SendStatus::queued;
    bool lost_with_others = false;  ///< `failed`, but a part of the message may have been sent
  };
  /// Puts a finished message after the others, and sends them if a limit is reached. `timed_out`:
  /// the deadline has passed, and the message is not in the buffer. `failed`: the connection is
  /// broken.
  Put put(const cdr::Buffer& message, const BufferingLimits& limits, Deadline deadline);
  /// Sends all messages. Closes the connection if some are not sent by the deadline, unless another
  /// thread is sending then.
  void flush_or_close(Deadline deadline);
  /// Sends the oneways that have waited long enough. Closes the connection if the peer takes
  /// nothing for `patience`. Returns the time at which to call it again. Never waits.
  Deadline flush_due(TimePoint now, std::chrono::milliseconds patience);

 private:
  void watch(std::uint64_t position, std::chrono::microseconds timeout);
  void count_lost() noexcept;
  void lose(std::size_t count) noexcept;

  engine::Channel& connection_;
  WakeTimer* const timer_;
  engine::TrafficLedger* const ledger_;
  std::atomic<bool> refused_{false};        // changes under the mutex
  std::mutex mutex_;                        // guards the members below
  std::vector<std::uint64_t> positions_;    // of messages that may not be sent yet, ascending
  Deadline due_;                            // the time to send the messages that are held back
  std::chrono::microseconds due_after_{0};  // the time limit that `due_` comes from
  Deadline refused_until_;  // the connection is closed if the transport takes nothing until then
  std::uint64_t refused_at_ = 0;  // octets that had left the queue when the limit was set
};

}  // namespace perigee::orb
