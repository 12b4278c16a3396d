// A connection as both sides of a conversation see it: one transport, one messaging protocol, the
// parse state, the read token and the single writer. Knows neither requests nor replies: what
// messages mean is the business of client/ and server/.
#pragma once

#include "orb/connection/call_deadline.h"
#include "orb/connection/traffic.h"
#include <perigee/cdr/buffer.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

namespace perigee::orb {

struct ConnectionLimits {
  std::size_t read_buffer_size = 64 * 1024;
  std::size_t write_queue_size_max = 8 * 1024 * 1024;
  /// How long a read with Wait::yes looks again and again before it sleeps.
  std::chrono::microseconds busy_poll{0};
  /// How long a send with Wait::yes, without a deadline, waits for a peer that takes nothing; zero:
  /// for ever.
  std::chrono::microseconds send_timeout{0};
};

/// How reading one message ended.
enum class ReadStatus : std::uint8_t {
  message,        ///< there it is
  would_block,    ///< Wait::no, and no whole message has arrived
  turn_over,      ///< Wait::no, and as much was received as `begin_turn` allows: there may be more
  timed_out,      ///< the receive time-out passed, or the deadline
  end_of_stream,  ///< the peer has closed
  failed,         ///< see `error_code()`
  bad_message,    ///< see `framing_error()`; nothing more can be read
};

enum class SendStatus : std::uint8_t {
  sent,       ///< the transport accepted the last octet
  queued,     ///< a copy waits behind others; `accepted(result.position)` tells when it is out
  failed,     ///< the message did not get out as a whole: the peer cannot execute it
  timed_out,  ///< the deadline passed before anything got out, and nothing will
};

struct [[nodiscard]] SendResult {
  SendStatus status = SendStatus::sent;
  std::uint64_t position = 0;  ///< of a queued message: later ones have larger ones
  bool drain_owed = false;     ///< after Drain::later: the caller has to call `drain_queue`
};

/// What the writing thread does about messages that others have queued behind its own.
enum class Drain : std::uint8_t {
  now,    ///< sends them before it returns
  later,  ///< not before it calls `drain_queue`; until then it waits for no other writer either
};

/// Threads: `send`, `flush`, `accepted`, `close` and the tests of state may be called by any
/// thread; the reading functions by the holder of the read token only.
class Connection final {
 public:
  /// `protocol` and `ledger`, if there is one, must outlive the connection.
  Connection(std::unique_ptr<transport::Transport> transport, const messaging::Protocol& protocol,
             ConnectionLimits limits = {}, TrafficLedger* ledger = nullptr);
  ~Connection();

  [[nodiscard]] transport::Transport& transport() noexcept { return *transport_; }
  [[nodiscard]] const messaging::Protocol& protocol() const noexcept { return protocol_; }
  [[nodiscard]] const transport::Transport& transport() const noexcept { return *transport_; }
  [[nodiscard]] const std::string& peer() const noexcept { return transport_->peer(); }

  /// @name The read token: free, or held by one thread or one reactor.
  /// Sequentially consistent, so that "release, then look for waiters" cannot miss one that does
  /// "enlist, then try to take".
  /// @{
  [[nodiscard]] bool try_take_read_token() noexcept { return !token_taken_.exchange(true); }
  void release_read_token() noexcept { token_taken_.store(false); }
  /// For who does not look for waiters afterwards, or does so under a mutex: costs no locked
  /// instruction.
  void leave_read_token() noexcept { token_taken_.store(false, std::memory_order_release); }
  /// @}

  /// Takes the next message out of what was received, receiving more as needed: in the steady state
  /// with one system call. `scratch` must be the same span until `detach_scratch()`, if octets
  /// remain; views in `message` live until the next `read` (see IncomingMessage).
  [[nodiscard]] ReadStatus read(messaging::IncomingMessage& message, transport::Wait wait,
                                MutableOctetSpan scratch);
  /// The same with a buffer of the connection's own, allocated at the first call. With Wait::yes
  /// and a deadline: `timed_out` when that has passed; what has arrived of a message stays.
  [[nodiscard]] ReadStatus read(messaging::IncomingMessage& message, transport::Wait wait,
                                const CallDeadline* deadline = nullptr);
  /// Reads with Wait::no receive so many octets from now on, and at most one receive more.
  void begin_turn(std::size_t octets) noexcept { turn_left_ = octets; }
  /// The longest that a receive with Wait::yes waits for octets; zero, as at first: for ever. False
  /// if the transport cannot do it.
  bool set_receive_timeout(std::chrono::microseconds timeout);
  /// Octets of further messages, or a part of one, have been received.
  [[nodiscard]] bool has_octets() const noexcept { return more_at_hand_ && reader_->has_octets(); }
  /// Before `scratch` is lent to another connection.
  void detach_scratch() { reader_->detach_scratch(); }
  /// The reactor has reported octets: what an earlier read left as drained is so no longer. To be
  /// told when a nested turn reports while a message of the batch before is still worked on.
  void expect_octets() noexcept { drained_ = false; }
  /// The last receive of Wait::no took all there was: the reactor will report what comes.
  [[nodiscard]] bool drained() const noexcept { return drained_; }
  /// The reactor has seen the peer's closing: from now on a short read does not count as drained,
  /// so that reading goes on to the end of the stream.
  void expect_end() noexcept { expects_end_ = true; }
  [[nodiscard]] messaging::FramingError framing_error() const noexcept { return reader_->error(); }
  /// Why a call ends that waits for its reply when the peer has sent CloseConnection: a server that
  /// has begun its reply has executed the request.
  [[nodiscard]] bool has_part_of_reply(std::uint32_t request_id) const noexcept {
    return reader_->has_part_of_reply(request_id);
  }

  /// Sends one finished message, whole: one gather-write and no lock when nobody else is writing,
  /// else a copy is appended to the queue which the present writer drains.
  /// Wait::yes: blocks until it is sent, or queued if others are writing. Wait::no: what the
  /// transport does not take at once is queued and leaves with `flush`. What comes behind it may
  /// wait up to `write_queue_size_max`; beyond that the send fails, and the connection with it.
  /// A deadline is for connections all of whose sends wait. If it passes in the middle of the
  /// message the connection is shut down, and its readers come back; before that, nothing happens
  /// to others: what they have queued behind this message, they send.
  SendResult send(const cdr::Buffer& message, transport::Wait wait, Drain drain = Drain::now,
                  const CallDeadline* deadline = nullptr);
  /// Sends `count` finished messages that stand behind one another in a buffer, as one: with
  /// Wait::yes, as above. They are no more octets than what is sent in fragments; see `trace`.
  SendResult send_joined(const cdr::Buffer& messages, std::uint32_t count,
                         const CallDeadline* deadline);
  /// Shows a message that `send_joined` will send, if messages are traced.
  void trace(const cdr::Buffer& message) const;
  /// What is sent as one message holds as many more.
  void count_joined(std::uint32_t more) noexcept {
    if (more != 0) traffic_.messages_joined.fetch_add(more, std::memory_order_relaxed);
  }
  /// Does what a `send` with Drain::later, whose result this is, left to do, and says how that
  /// went; blocks as Wait::yes does.
  SendResult drain_queue(SendResult sent, const CallDeadline* deadline = nullptr);
  /// Takes a queued message back. False if that is too late: it has been sent, or may yet be.
  [[nodiscard]] bool withdraw(std::uint64_t position) noexcept;
  /// Sends queued octets as far as the transport takes them: call it when the handle is writable.
  /// Cheap when there is nothing to do. False if the connection can no longer send.
  bool flush();
  /// Whether the queue is empty and nobody is writing.
  [[nodiscard]] bool idle_output() const noexcept { return writing_.load() == Writing::idle; }
  /// Whether a thread is sending now. Not so if others' messages wait for whoever sends next.
  [[nodiscard]] bool being_written() const noexcept {
    const Writing state = writing_.load();
    return state == Writing::writing || state == Writing::queued;
  }
  /// Whether the transport takes no more, and `flush` has to go on.
  [[nodiscard]] bool blocked_output() const noexcept { return writing_.load() == Writing::blocked; }
  /// Whether the transport may have accepted a queued message's last octet: has, or has it in a
  /// send that goes on. Never false for a message that the peer can have seen whole.
  [[nodiscard]] bool accepted(std::uint64_t position) const noexcept {
    return queue_accepted_.load() >= position;
  }
  /// Whether the transport has accepted a queued message's last octet, for certain.
  [[nodiscard]] bool sent(std::uint64_t position) const noexcept {
    return queue_sent_.load() >= position;
  }
  /// Octets that have left the queue: grows exactly if the peer goes on reading.
  [[nodiscard]] std::uint64_t drained_octets() const noexcept {
    return drained_octets_.load(std::memory_order_relaxed);
  }

  /// Octets that have passed, in both directions: stands still exactly if the connection is idle.
  /// Any thread.
  [[nodiscard]] std::uint64_t octets_passed() const noexcept {
    return octets_received() + traffic_.octets_sent.value();
  }
  [[nodiscard]] std::uint64_t octets_received() const noexcept {
    return traffic_.octets_received.value();
  }

  /// A send has failed, or `close` was called: nothing more can be sent.
  [[nodiscard]] bool broken() const noexcept { return broken_.load(std::memory_order_relaxed); }
  /// errno of the first failed transfer; 0 if none failed with a system error.
  [[nodiscard]] int error_code() const noexcept { return error_code_.load(); }

  /// Ends the connection abruptly: blocked readers and writers come back. Any thread, any time.
  void close() noexcept;

 private:
  // idle: nobody writes, the queue is empty.  writing: one thread writes, the queue is empty.
  // queued: one thread writes, and must look at the queue under the mutex before it stops.
  // blocked: the transport took no more in Wait::no; `flush` goes on.  failed: for good.
  // handed: a writer with a deadline has left others' messages behind. Whoever sends next goes on;
  // and for each message there is its sender, who does not leave it to a writer with a deadline.
  enum class Writing : std::uint8_t { idle, writing, queued, blocked, handed, failed };

  // A whole message in the queue, and where it ends there.
  struct Queued {
    std::uint64_t position = 0;
    std::size_t end = 0;
  };

  [[nodiscard]] ReadStatus read_message(messaging::IncomingMessage& message, transport::Wait wait,
                                        MutableOctetSpan scratch, const CallDeadline* deadline);
  [[nodiscard]] messaging::MessageReader::Next take_next(messaging::IncomingMessage& message);
  [[nodiscard]] bool limit_receive(const CallDeadline* deadline);
  [[nodiscard]] IoResult receive(MutableOctetSpan space, transport::Wait wait);
  [[nodiscard]] IoResult receive_polling(MutableOctetSpan space);
  void limit_send(const CallDeadline* deadline);

  SendResult send_untraced(const cdr::Buffer& message, transport::Wait wait, Drain drain,
                           const CallDeadline* deadline);
  [[nodiscard]] bool take_writing() noexcept;
  [[nodiscard]] bool take_writing_limited() noexcept;
  SendResult write_directly(const cdr::Buffer& message, transport::Wait wait, Drain drain);
  SendResult write_limited(const cdr::Buffer& message, const CallDeadline& deadline);
  SendResult write_later(const cdr::Buffer& message, transport::Wait wait, Drain drain,
                         const CallDeadline* deadline);
  SendResult finish_partial(std::span<const OctetSpan> segments, std::size_t sent);
  [[nodiscard]] IoResult send_rest(std::span<const OctetSpan> segments, IoResult first,
                                   const CallDeadline* deadline);
  [[nodiscard]] IoResult send_once(std::span<const OctetSpan> segments,
                                   const CallDeadline* deadline);
  void count_queued(std::size_t size) noexcept;
  std::uint64_t enqueue(std::span<const OctetSpan> segments, std::size_t size);
  [[nodiscard]] bool withdraw_locked(std::uint64_t position) noexcept;
  SendResult await_sent(std::uint64_t position, const CallDeadline* deadline);
  [[nodiscard]] bool go_on(std::unique_lock<std::mutex>& lock, std::uint64_t position,
                           const CallDeadline* deadline);
  [[nodiscard]] bool await_change(std::unique_lock<std::mutex>& lock, const CallDeadline* deadline);
  void drain_limited(std::uint64_t position, const CallDeadline& deadline);
  void hand_over() noexcept;
  [[nodiscard]] bool stop_writing() noexcept;
  bool drain(transport::Wait wait);
  bool next_batch();
  void clear_draining() noexcept;
  [[nodiscard]] IoResult send_batch(transport::Wait wait);
  bool stop_blocked();
  void fail_output(const IoResult& result) noexcept;
  // Storage for a message's segments: most have one, which takes no memory.
  struct Segments {
    OctetSpan single;
    std::vector<OctetSpan> all;
    Octets fragment_headers;
  };
  // Valid until the storage is used again.
  [[nodiscard]] std::span<const OctetSpan> segments_of(const cdr::Buffer& message,
                                                       Segments& storage) const;
  [[nodiscard]] std::span<const OctetSpan> gather(const cdr::Buffer& message,
                                                  Segments& storage) const;

  const std::unique_ptr<transport::Transport> transport_;
  const messaging::Protocol& protocol_;
  const std::uint32_t fragment_size_;  // the protocol's limit, which never changes
  const std::unique_ptr<messaging::MessageReader> reader_;
  const ConnectionLimits limits_;
  const bool traced_;
  Traffic traffic_;

  // Reading: under the read token.
  std::atomic<bool> token_taken_{false};
  bool more_at_hand_ = false;  // the reader may have octets that it has not given out
  bool drained_ = false;       // the last receive of Wait::no was short
  bool expects_end_ = false;
  std::size_t turn_left_ = std::numeric_limits<std::size_t>::max();  // octets
  bool receive_limited_ = false;                  // the transport's time-out is that of a deadline
  std::chrono::microseconds receive_timeout_{0};  // without a deadline
  std::unique_ptr<std::byte[]> read_buffer_;

  // Writing. What is not atomic belongs to the thread that writes.
  std::atomic<Writing> writing_{Writing::idle};
  std::atomic<bool> broken_{false};
  std::atomic<bool> writable_again_{false};  // a `flush` came while a thread was writing
  std::atomic<int> error_code_{0};
  bool send_limited_ = false;  // the transport's time-out is that of a deadline
  Segments segments_;
  Octets draining_;
  std::size_t draining_offset_ = 0;
  std::vector<Queued> draining_messages_;         // those that began in the queue
  std::size_t draining_next_ = 0;                 // the first of them that is not out
  std::atomic<std::uint64_t> drained_octets_{0};  // written by the writer
  std::atomic<std::uint64_t> queue_sent_{0};      // the last message of the queue that is out
  // The same, and while a send goes on also what that send has: it may be out already.
  std::atomic<std::uint64_t> queue_accepted_{0};

  std::mutex mutex_;  // guards what follows, and the changes of `writing_` away from `queued`
  std::condition_variable output_changed_;
  Octets queue_;
  std::vector<Queued> queue_messages_;
  std::uint64_t queue_submitted_ = 0;  // the last message that was queued
  bool writer_limited_ = false;        // who writes has a deadline; the state is `queued` then
};

inline std::span<const OctetSpan> Connection::segments_of(const cdr::Buffer& message,
                                                          Segments& storage) const {
  if (message.borrowed().empty() && message.size() <= fragment_size_) [[likely]] {
    storage.single = message.own_octets();
    return {&storage.single, 1};
  }
  return gather(message, storage);
}

}  // namespace perigee::orb
