// OutgoingQueue: the sending half of a connection. At most one thread writes; every other thread
// appends a copy of its message, or shares its memory, and goes on.
#pragma once

#include "engine/connection/outgoing_blocks.h"
#include "engine/connection/outgoing_counts.h"
#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>
#include <perigee/base/io_error.h>
#include <perigee/base/octets.h>
#include <perigee/base/segments.h>
#include <perigee/base/short_lock.h>
#include <perigee/cdr/buffer.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>
#include <span>
#include <vector>

namespace perigee::engine {

struct OutgoingLimits {
  /// The limit of waiting octets. The first waiting message may have any size.
  std::size_t octets_max = std::size_t{8} * 1024 * 1024;
  /// How long a send with Wait::yes and without a deadline waits for a peer that takes nothing;
  /// zero: for ever.
  std::chrono::microseconds send_timeout{0};
  /// False: each call of Transport::send gets one message (datagrams).
  bool joins_messages = true;
  /// The source of storage for copies of large messages; null: the heap. Outlives the queue.
  const OutgoingBlock::Source* storage = nullptr;
};

/// How a send ended.
struct [[nodiscard]] Sent {
  enum class Status : std::uint8_t {
    sent,       ///< the transport accepted the last octet
    queued,     ///< a copy waits; `progress(ticket)` returns its progress
    timed_out,  ///< the deadline passed before an octet was sent; none will be sent
    full,       ///< Wait::no, and the queue is full: nothing was kept
    no_memory,  ///< for the copy: nothing was kept
    failed,     ///< the queue has failed: the message was not sent as a whole
  };

  Status status = Status::sent;
  Ticket ticket = 0;
};

/// The progress of a queued message.
enum class Progress : std::uint8_t {
  waiting,    ///< no octet of it has been given to the transport
  departing,  ///< it is in a send that goes on: the peer may have it
  sent,       ///< the transport accepted the last octet
};

/// The limits at which held messages leave. Zero: there is no such limit.
struct Hold {
  std::uint32_t count = 0;
  std::size_t octets = std::size_t{64} * 1024;
};

/// Gives messages their last form, in the order in which they are sent: numbers, time stamps,
/// compression.
class Sealer {
 public:
  /// Called by the writing thread directly before the message is sent. May replace segments;
  /// `memory` is for octets of the sealer's own, and is empty before.
  virtual void seal(std::vector<OctetSpan>& segments, Octets& memory) noexcept = 0;

 protected:
  ~Sealer() = default;
};

/// States: idle (no thread writes, and only messages that are held back wait), writing, blocked
/// (the transport takes no more), failed.
///
/// The thread that finds the queue idle writes its own message from the caller's memory with one
/// gather-write. It then sends the messages that were queued meanwhile, without waiting, but only a
/// few batches: it has its own work to do. When the transport takes no more, or these batches have
/// been sent, the queue is blocked. The home loop of the connection then calls `flush`. The owner
/// looks at `blocked` after each call of a function that can write.
///
/// Held messages (a cork) wait in an idle queue. They leave when `uncork` is called, or when a
/// limit of their Hold is reached. They also leave in front of any other message, in the same send.
///
/// Any thread. `send` and `hold` throw only if the transport throws, for lack of memory; then the
/// queue has failed. No other function throws. The lock is never held over a system call.
class OutgoingQueue final {
 public:
  using Segments = std::span<const OctetSpan>;
  enum class Status : std::uint8_t { flowing, blocked, failed };

  /// `transport`, `counts`, `clock` and the sealer, if there is one, must outlive the queue.
  OutgoingQueue(transport::Transport& transport, const OutgoingLimits& limits,
                OutgoingCounts& counts, Sealer* sealer = nullptr,
                const Clock& clock = steady_clock()) noexcept;
  ~OutgoingQueue();
  OutgoingQueue(const OutgoingQueue&) = delete;
  OutgoingQueue& operator=(const OutgoingQueue&) = delete;

  /// Sends one message. Wait::yes: may block, in its own send or in a full queue, until the
  /// deadline. A deadline that passes in the middle of the message fails the queue. A deadline that
  /// passes earlier affects only this message.
  Sent send(Segments message, transport::Wait wait, Deadline deadline = {}) {
    std::uint32_t expected = idle_word;
    if (word_.compare_exchange_strong(expected, writing_word)) [[likely]]
      return write_own(message, total_size(message), wait, deadline);
    return send_later(message, nullptr, wait, deadline);
  }
  /// The same as `send` with Wait::no. If octets of the message have to wait, those in the lender's
  /// memory are not copied, but the queue shares this memory. The lender is not used after the
  /// call.
  Sent send_shared(Segments message, cdr::Lender& lender);
  /// Holds a copy of a message back, if the queue is idle; else as `send`.
  Sent hold(Segments message, const Hold& hold, transport::Wait wait, Deadline deadline = {}) {
    return send_later(message, &hold, wait, deadline);
  }
  /// Memory of the transport in which the calling thread makes its next message: at least `hint`
  /// octets. From then on this thread is the writing thread, until `commit_direct`; messages of
  /// other threads wait. Empty: another message is under way, or the transport has no room. Never
  /// waits. For a transport with Features::encodes_in_place and without a sealer.
  [[nodiscard]] MutableOctetSpan begin_direct(std::size_t hint) noexcept;
  /// Sends the message of `size` octets that was made in this memory. A size of 0 gives the memory
  /// back. Then sends the messages that were queued meanwhile, as `send` does.
  Sent commit_direct(std::size_t size) noexcept;
  /// Sends held messages. Never waits.
  Status uncork();
  /// Goes on after `blocked`: call it when the handle has the readiness that Transport::wants
  /// returns. Never waits. Cheap when there is nothing to do.
  Status flush();
  /// Sends the transport's own octets (Transport::has_output) before the next message, or leaves
  /// them to the thread that is writing. Never waits.
  Status send_transport_output();
  /// Ends the output after the last message: Transport::finish. Later sends fail.
  void finish();
  /// Fails the queue. If a thread may be in a send, the owner also interrupts the transport.
  void close() noexcept;

  /// Removes the message with this ticket, if no octet of it was given to the transport. False if
  /// the queue has no such message.
  [[nodiscard]] bool withdraw(Ticket ticket) noexcept;
  [[nodiscard]] Progress progress(Ticket ticket) const noexcept {
    if (sent_.load() >= ticket) return Progress::sent;
    return departing_.load() >= ticket ? Progress::departing : Progress::waiting;
  }
  /// Blocks until a message is sent. False if the deadline has passed, or the queue has failed.
  [[nodiscard]] bool await_sent(Ticket ticket, Deadline deadline);
  /// The last message that is queued or held; 0 if there was none.
  [[nodiscard]] Ticket last_ticket() const noexcept;

  /// @name The current state; another thread may change it at once
  /// @{
  [[nodiscard]] bool idle() const noexcept { return (word_.load() & ~ended_bit) == idle_word; }
  [[nodiscard]] bool writing() const noexcept { return state_of(word_.load()) == writing_word; }
  [[nodiscard]] bool blocked() const noexcept { return state_of(word_.load()) == blocked_word; }
  /// Whether the queue is blocked although the transport may take more octets. No event will come,
  /// so the owner calls `flush`.
  [[nodiscard]] bool yielded() const noexcept { return yielded_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool corked() const noexcept { return (word_.load() & corked_bit) != 0; }
  /// Whether the queue has failed: nothing more can be sent.
  [[nodiscard]] bool failed() const noexcept { return closed_.load(std::memory_order_relaxed); }
  /// Whether Transport::finish has succeeded.
  [[nodiscard]] bool finished() const noexcept { return finished_.load(); }
  /// @}
  /// errno of the first send that failed with a system error; else 0.
  [[nodiscard]] int error_code() const noexcept { return error_code_.load(); }
  /// How many messages are held back. A thread sees at least its own.
  [[nodiscard]] std::uint32_t held() const noexcept {
    return held_count_.load(std::memory_order_relaxed);
  }
  /// Octets of queued messages that have left. The number grows only while the peer reads.
  [[nodiscard]] std::uint64_t drained_octets() const noexcept {
    return drained_octets_.load(std::memory_order_relaxed);
  }

  /// idle and not corked: empty. sent <= departing <= last ticket. `octets` is the sum of the
  /// messages' sizes: at most the limit plus the size of the first message. blocked: there is
  /// something to send, or the output is to be finished.
  [[nodiscard]] bool check_invariants() noexcept;

 private:
  static constexpr std::uint32_t idle_word = 0;
  static constexpr std::uint32_t writing_word = 1;
  static constexpr std::uint32_t blocked_word = 2;
  static constexpr std::uint32_t failed_word = 3;
  static constexpr std::uint32_t state_bits = 3;
  static constexpr std::uint32_t corked_bit = 4;     // idle: messages are held back
  static constexpr std::uint32_t noted_bit = 8;      // writing: look at the queue before idling
  static constexpr std::uint32_t writable_bit = 16;  // writing: `flush` was called meanwhile
  static constexpr std::uint32_t ended_bit = 32;     // idle: Transport::finish has succeeded
  static constexpr std::size_t batch_blocks_max = 64;
  static constexpr std::uint32_t batches_of_sender_max = 8;  // after its own message

  enum class Then : std::uint8_t { idle, write_own };  // when the queue is empty
  enum class Next : std::uint8_t { batch, empty, transport_output, finish, yield, closed };

  [[nodiscard]] static std::uint32_t state_of(std::uint32_t word) noexcept {
    return word & state_bits;
  }
  [[nodiscard]] bool stop_writing() noexcept {
    std::uint32_t expected = writing_word;
    return word_.compare_exchange_strong(expected, idle_word);
  }
  void end_direct() noexcept;

  Sent write_own(Segments message, std::size_t size, transport::Wait wait, Deadline deadline);
  Sent write_slowly(Segments message, transport::Wait wait, Deadline deadline);
  Sent write_at_once(Segments message, std::size_t size, transport::Wait wait);
  Sent write_limited(Segments message, std::size_t size, Deadline deadline);
  Sent write_shared(Segments message, std::size_t size, cdr::Lender& lender);
  [[nodiscard]] Sent after_part(Segments message, IoResult result, transport::Wait wait,
                                cdr::Lender* lender = nullptr);
  [[nodiscard]] OutgoingBlock* make_block(std::size_t size) const noexcept;
  [[nodiscard]] bool keep(Segments message, std::size_t sent, cdr::Lender* lender,
                          OutgoingBlocks& kept) const noexcept;
  [[nodiscard]] Sent keep_rest(Segments message, std::size_t sent, cdr::Lender* lender);
  [[nodiscard]] Sent sent_with_queue(Ticket ticket);
  [[nodiscard]] bool limit_send(Deadline deadline);
  [[nodiscard]] Segments seal(Segments message) noexcept;

  Sent send_later(Segments message, const Hold* hold, transport::Wait wait, Deadline deadline,
                  cdr::Lender* lender = nullptr);
  [[nodiscard]] bool fits(std::size_t size) const noexcept;
  [[nodiscard]] bool append(Segments message, std::size_t size, OutgoingBlock*& spare) noexcept;
  [[nodiscard]] bool append_kept(std::size_t size, OutgoingBlocks& kept) noexcept;
  [[nodiscard]] Sent after_append(std::unique_lock<ShortLock>& lock, const Hold* hold,
                                  std::size_t size);
  [[nodiscard]] bool await_change(std::unique_lock<ShortLock>& lock, Deadline deadline);
  void wake_waiters() noexcept;

  Status send_queued(Then then, std::uint32_t batches_max = ~std::uint32_t{0});
  Status send_few_queued() { return send_queued(Then::idle, batches_of_sender_max); }
  [[nodiscard]] Next next_batch(Then then, std::uint32_t batches_left) noexcept;
  [[nodiscard]] IoResult finish_transport();
  [[nodiscard]] IoResult write_transport_output();
  [[nodiscard]] bool seal_batch() noexcept;
  [[nodiscard]] IoResult send_batch();
  void settle(std::size_t count) noexcept;
  [[nodiscard]] bool stop_blocked() noexcept;
  void fail(const IoResult& result) noexcept;
  void take_cork() noexcept;
  void drop_all(OutgoingBlocks& lost) noexcept;

  transport::Transport& transport_;
  const OutgoingLimits limits_;
  OutgoingCounts& counts_;
  Sealer* const sealer_;
  const std::size_t at_once_max_;  // largest message, in octets, that may leave in one send
  const Clock& clock_;

  std::atomic<std::uint32_t> word_{idle_word};
  std::atomic<bool> closed_{false};
  std::atomic<bool> finished_{false};
  std::atomic<bool> yielded_{false};  // changed by the writing thread, under the lock
  std::atomic<int> error_code_{0};
  // Changed by the writing thread. `departing_` is ahead of `sent_` while a send goes on.
  std::atomic<Ticket> departing_{0};
  std::atomic<Ticket> sent_{0};
  std::atomic<std::uint64_t> drained_octets_{0};

  // Used by the writing thread, and in the state `blocked` under the lock.
  OutgoingBlocks leaving_;  // messages that have begun to leave, or are next
  bool send_limited_ = false;
  std::chrono::microseconds send_timeout_{0};  // as it was set last
  std::vector<OctetSpan> sealed_;
  Octets seal_memory_;

  // Guards the members below, and all changes of `word_` except between idle and writing.
  mutable ShortLock lock_;
  OutgoingBlocks queued_;
  Ticket submitted_ = 0;
  bool finishing_ = false;
  // Set under the lock; taken by the writing thread.
  std::atomic<bool> has_transport_output_{false};
  std::size_t held_octets_ = 0;
  std::atomic<std::uint32_t> held_count_{0};  // changes under the lock
  std::atomic<std::uint32_t> waiters_{0};     // raised under the lock

  // For threads that wait for room, or for their message.
  std::mutex change_mutex_;
  std::condition_variable changed_;
  std::atomic<std::uint64_t> changes_{0};  // changes under the mutex
};

}  // namespace perigee::engine
