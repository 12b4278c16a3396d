// The part of a connection that is the same for clients and servers. It has one transport, one
// messaging protocol, the parse state, the read role and the outgoing queue. A channel does not
// interpret messages; its users do, such as `Connection`.
#pragma once

#include "engine/connection/inbox.h"
#include "engine/connection/outgoing_queue.h"
#include "engine/connection/output_flusher.h"
#include "engine/connection/paused_reader.h"
#include "engine/connection/read_role.h"
#include "engine/connection/stand_still.h"
#include "engine/connection/traffic.h"
#include "engine/memory/unfinished.h"
#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/cdr/buffer.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/transport.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace perigee::engine {

struct ChannelLimits {
  std::size_t read_buffer_size = 64 * 1024;
  std::size_t write_queue_size_max = 8 * 1024 * 1024;
  /// How long a read with Wait::yes polls before it sleeps.
  std::chrono::microseconds busy_poll{0};
  /// How long a send with Wait::yes, without a deadline, waits for a peer that takes nothing; zero:
  /// for ever.
  std::chrono::microseconds send_timeout{0};
  /// Sends the octets that the transport did not take at once; null: the owner calls `flush`.
  OutputFlusher* flusher = nullptr;
  /// The clock of deadlines.
  const Clock* clock = &steady_clock();
};

/// How reading one message ended.
enum class ReadStatus : std::uint8_t {
  message,        ///< a whole message was read
  would_block,    ///< Wait::no, and no whole message has arrived
  turn_over,      ///< Wait::no, and as much was received as `begin_turn` allows: there may be more
  timed_out,      ///< the receive time-out passed, or the deadline
  end_of_stream,  ///< the peer has closed
  failed,         ///< see `error_code()`
  bad_message,    ///< see `framing_error()`; nothing more can be read
};

enum class SendStatus : std::uint8_t {
  sent,       ///< the transport accepted the last octet
  queued,     ///< a copy waits in the queue; `accepted(result.position)`: whether it was sent
  failed,     ///< the message was not sent as a whole: the peer cannot execute it
  timed_out,  ///< the deadline passed before an octet was sent; none will be sent
  refused,    ///< only by `try_send`: no octet was or will be sent; the connection stays usable
};

struct [[nodiscard]] SendResult {
  SendStatus status = SendStatus::sent;
  std::uint64_t position = 0;  ///< of a message that was queued; larger for later messages
};

/// Any thread may call `send`, `flush`, `accepted`, `close` and the functions that return a state.
/// Only the thread that holds the read role may call the functions that read.
class PERIGEE_INTERNAL_TYPE Channel final : private FlushedOutput,
                                            private UnfinishedOwner,
                                            private cdr::PlaceOwner {
 public:
  /// Opens a session of `protocol`. `protocol` and `ledger`, which may be null, must outlive the
  /// channel.
  Channel(std::unique_ptr<transport::Transport> transport,
          const messaging::MessagingProtocol& protocol, messaging::Role role,
          ChannelLimits limits = {}, TrafficLedger* ledger = nullptr);
  ~Channel();

  [[nodiscard]] transport::Transport& transport() noexcept { return *transport_; }
  [[nodiscard]] const messaging::Session& session() const noexcept { return *session_; }
  [[nodiscard]] const transport::Transport& transport() const noexcept { return *transport_; }
  [[nodiscard]] const std::string& peer() const noexcept { return transport_->peer(); }

  /// Whether the transport carries datagrams: one message each, which may be lost, duplicated or
  /// forged.
  [[nodiscard]] bool has_datagrams() const noexcept { return datagrams_; }
  /// Called if the message just read is malformed after its header. True: the message was a
  /// datagram, which any sender may have forged; it is counted as dropped, and the connection goes
  /// on.
  [[nodiscard]] bool drop_datagram() noexcept {
    if (datagrams_) traffic_.datagrams_dropped.add(1);
    return datagrams_;
  }

  /// Counts a datagram that was read as dropped. Called by the holder of the read role.
  void count_dropped_datagram() noexcept { traffic_.datagrams_dropped.add(1); }

  /// Receives octets that are not to become a message. Called by the holder of the read role.
  [[nodiscard]] IoResult drop_octets(std::span<std::byte> scratch, transport::Wait wait);

  [[nodiscard]] ReadRole& read_role() noexcept { return read_role_; }

  /// Takes the next message out of the received octets, and receives more if needed: in the steady
  /// state with one system call. `scratch` must be the same span until `detach_scratch()`, if
  /// octets remain; views in `message` live until the next `read` (see IncomingMessage).
  [[nodiscard]] ReadStatus read(messaging::IncomingMessage& message, transport::Wait wait,
                                MutableOctetSpan scratch);
  /// The same with a buffer of the connection's own, allocated at the first call. With Wait::yes
  /// and a deadline, returns `timed_out` when the deadline has passed. The part of a message that
  /// has arrived is kept.
  [[nodiscard]] ReadStatus read(messaging::IncomingMessage& message, transport::Wait wait,
                                Deadline deadline = {});
  /// Takes the next message out of the octets at hand. False: they contain no whole message, or
  /// `read` has to report an error.
  [[nodiscard]] bool take_at_hand(messaging::IncomingMessage& message);
  /// From now on, reads with Wait::no return `turn_over` when `octets` octets were received. The
  /// last receive may go beyond this number.
  void begin_turn(std::size_t octets) noexcept { turn_left_ = octets; }
  /// The longest that a receive with Wait::yes waits for octets; zero, the default: for ever. False
  /// if the transport cannot limit it.
  bool set_receive_timeout(std::chrono::microseconds timeout);
  /// Whether octets of further messages, or a part of one, have been received.
  [[nodiscard]] bool has_octets() const noexcept { return inbox_.has_octets(); }
  /// Moves the octets at hand out of `scratch`. Must be called before `scratch` serves another
  /// connection.
  void detach_scratch() { inbox_.detach(); }
  /// Drops the octets at hand, for example if there is no memory to keep them. No further message
  /// can be read.
  void discard_input() noexcept {
    inbox_.discard();
    unfinished_.end();
  }
  /// Called when the reactor has reported octets: `drained` is false from now on. Also called when
  /// a nested turn gets an event while a message of the earlier batch is still in its upcall.
  void expect_octets() noexcept { drained_ = false; }
  /// Whether the last receive with Wait::no took all octets, so that the reactor will report new
  /// octets.
  [[nodiscard]] bool drained() const noexcept { return drained_; }
  /// Called when the reactor has reported that the peer has closed. From now on a short read does
  /// not count as drained, so that reading goes on to the end of the stream.
  void expect_end() noexcept { reads_until_empty_ = true; }
  [[nodiscard]] messaging::FramingError framing_error() const noexcept { return inbox_.error(); }
  /// The limit of the framing error `too_large`: see Inbox.
  [[nodiscard]] const ExceededLimit& exceeded_limit() const noexcept {
    return inbox_.exceeded_limit();
  }
  [[nodiscard]] bool show_refused(messaging::IncomingMessage& message) const noexcept {
    return inbox_.show_refused(message);
  }
  /// Whether a part of the reply to this request has arrived. Asked after CloseConnection: a server
  /// that has begun its reply has executed the request.
  [[nodiscard]] bool has_part_of_reply(std::uint32_t request_id) const noexcept {
    return inbox_.has_part_of_reply(request_id);
  }

  /// Sends one finished message: with one gather-write and no lock if no other thread writes.
  /// Otherwise appends a copy to the queue. `flush` or the flusher sends the octets that the
  /// transport does not take at once. Wait::yes: blocks while its own message is sent, or while the
  /// queue is full. Wait::no: if the queue is full, the send fails, and the connection is closed.
  /// If the deadline passes before the first octet is sent, only this message fails. If the
  /// deadline passes in the middle of the message, the connection is closed, and its readers
  /// return. A message that was made in memory of the transport (MessagePlace) is empty afterwards.
  SendResult send(const cdr::Buffer& message, transport::Wait wait, Deadline deadline = {});
  /// Whether messages can be made in memory of the transport: see MessagePlace.
  [[nodiscard]] bool encodes_in_place() const noexcept { return encodes_in_place_; }
  /// The same as `send` with Wait::no, but a full queue refuses the message, and the connection
  /// stays usable. A queue without memory for the copy refuses the message, too. `hold`: the limits
  /// of the function `hold`; null: the message is not held back.
  SendResult try_send(const cdr::Buffer& message, const Hold* hold = nullptr);
  /// Holds a message back while nothing else is sent; see OutgoingQueue::hold.
  SendResult hold(const cdr::Buffer& message, const Hold& hold, transport::Wait wait,
                  Deadline deadline = {});
  /// Sends the messages that are held back. False if the connection can no longer send.
  bool uncork();
  /// Takes a queued message back. False if that is too late: it has been sent, or is about to be.
  [[nodiscard]] bool withdraw(std::uint64_t position) noexcept;
  /// Waits until a queued message is sent. False if the deadline has passed, or if the connection
  /// can no longer send.
  [[nodiscard]] bool await_sent(std::uint64_t position, Deadline deadline) {
    return queue_.await_sent(position, deadline);
  }
  /// Sends queued octets as far as the transport takes them: call it when the handle is writable.
  /// Cheap when there is nothing to do. False if the connection can no longer send.
  bool flush() { return queue_.flush() != OutgoingQueue::Status::failed; }
  /// Ends the output after the last octet; later sends fail.
  void finish_output();
  /// Whether the output has ended or failed.
  [[nodiscard]] bool output_ended() const noexcept { return queue_.finished() || broken(); }
  /// Whether no thread writes, and nothing is queued or held back.
  [[nodiscard]] bool idle_output() const noexcept { return queue_.idle(); }
  /// Whether a message that is sent now leaves at once, or directly behind messages that are held
  /// back.
  [[nodiscard]] bool open_output() const noexcept { return queue_.idle() || queue_.corked(); }
  /// Whether a thread is sending now, or makes a message in memory of the transport.
  [[nodiscard]] bool being_written() const noexcept { return queue_.writing(); }
  /// Whether a thread is in a send.
  [[nodiscard]] bool in_send() const noexcept {
    return queue_.writing() && made_in_place_.load(std::memory_order_relaxed) == nullptr;
  }
  /// Whether the transport takes no more, so that `flush` has to go on.
  [[nodiscard]] bool blocked_output() const noexcept { return queue_.blocked(); }
  /// The same, but the transport may take more octets: no event will come, so the owner calls
  /// `flush`.
  [[nodiscard]] bool yielded_output() const noexcept { return queue_.yielded(); }
  /// Whether messages are held back. Sequentially consistent.
  [[nodiscard]] bool holds_output() const noexcept { return queue_.corked(); }
  /// How many messages are held back. A thread sees at least its own.
  [[nodiscard]] std::uint32_t held_output() const noexcept { return queue_.held(); }
  /// Octets that wait to be sent.
  [[nodiscard]] std::size_t queued_octets() const noexcept {
    return static_cast<std::size_t>(std::max<std::int64_t>(traffic_.sent.queued.value(), 0));
  }
  /// The position of the last message that is queued or held back.
  [[nodiscard]] std::uint64_t last_position() const noexcept { return queue_.last_ticket(); }
  /// Whether the transport may have accepted a queued message's last octet: the message was sent,
  /// or its send is in progress. True for each message that the peer can have received whole.
  [[nodiscard]] bool accepted(std::uint64_t position) const noexcept {
    return queue_.progress(position) != Progress::waiting;
  }
  /// Whether the transport has accepted a queued message's last octet, for certain.
  [[nodiscard]] bool sent(std::uint64_t position) const noexcept {
    return queue_.progress(position) == Progress::sent;
  }
  /// Octets that have left the queue. The number grows only while the peer reads.
  [[nodiscard]] std::uint64_t drained_octets() const noexcept { return queue_.drained_octets(); }
  /// Closes the connection if it has a flusher. From now on no thread of the flusher uses it.
  void leave_flusher() noexcept;

  /// Must be called before the first read. `reader` pauses when memory is short. Without a reader,
  /// reads with Wait::no are never paused.
  void set_paused_reader(PausedReader& reader) noexcept { paused_reader_ = &reader; }
  /// From now on the registry of unfinished messages does not call the reader. Called by the thread
  /// that reads.
  void forget_paused_reader() noexcept { unfinished_.leave(); }

  /// Whether the connection was idle for `limit`: no whole message has passed, and no message was
  /// in progress. The pace limits a message that never ends. `watch` belongs to the caller; one
  /// thread at a time uses it.
  [[nodiscard]] bool is_idle(StandStill& watch, TimePoint now, Duration limit) const noexcept {
    if (unfinished_.is_under_way() || !idle_output()) watch.forget();
    return watch.lasted(messages_passed(), now, limit);
  }
  [[nodiscard]] std::uint64_t octets_sent() const noexcept { return traffic_.sent.octets.value(); }
  [[nodiscard]] std::uint64_t messages_sent() const noexcept {
    return traffic_.sent.messages.value();
  }
  [[nodiscard]] std::uint64_t octets_received() const noexcept {
    return traffic_.octets_received.value();
  }

  /// Whether a send has failed, or `close` was called: then nothing more can be sent.
  [[nodiscard]] bool broken() const noexcept { return queue_.failed(); }
  /// errno of a failed transfer; 0 if none failed with a system error.
  [[nodiscard]] int error_code() const noexcept {
    const int code = receive_error_.load();
    return code != 0 ? code : queue_.error_code();
  }

  /// Ends the connection abruptly: blocked readers and writers return. Any thread, any time.
  void close() noexcept;

 private:
  friend class MessagePlace;

  // Lets the session seal messages. Used only if the session seals.
  class SessionSealer final : public Sealer {
   public:
    SessionSealer(messaging::Session& session, transport::Transport& transport) noexcept
        : session_(session), transport_(transport) {}
    void seal(std::vector<OctetSpan>& segments, Octets& memory) noexcept override;

   private:
    messaging::Session& session_;
    transport::Transport& transport_;
    messaging::OutgoingSegments outgoing_;
  };

  [[nodiscard]] ReadStatus read_message(messaging::IncomingMessage& message, transport::Wait wait,
                                        MutableOctetSpan scratch, Deadline deadline);
  [[nodiscard]] InboxStatus take_next(messaging::IncomingMessage& message);
  [[nodiscard]] ReadStatus without_octets(const IoResult& result) noexcept;
  [[nodiscard]] bool took_all(std::size_t count, std::size_t room) noexcept;
  [[nodiscard]] bool limit_receive(Deadline deadline);
  [[nodiscard]] IoResult receive(const ReceiveSpace& space, transport::Wait wait);
  [[nodiscard]] IoResult receive_once(const ReceiveSpace& space, transport::Wait wait);
  [[nodiscard]] IoResult receive_polling(const ReceiveSpace& space);
  [[nodiscard]] IoResult receive_specially(const ReceiveSpace& space, transport::Wait wait);
  void send_transport_output();

  [[nodiscard]] bool is_one_segment(const cdr::Buffer& message) const;
  [[nodiscard]] std::optional<Sent> send_linked(const cdr::Buffer& message, const Hold* hold,
                                                transport::Wait wait, Deadline deadline);
  [[nodiscard]] Sent send_gathered(const cdr::Buffer& message, const Hold* hold,
                                   transport::Wait wait, Deadline deadline);
  [[nodiscard]] SendResult after_send(Sent sent);
  void begin_in_place(cdr::Buffer& message) noexcept;
  void end_in_place(const cdr::Buffer& message) noexcept;
  [[nodiscard]] bool is_made_in_place(const cdr::Buffer& message) const noexcept {
    return made_in_place_.load(std::memory_order_relaxed) == &message;
  }
  [[nodiscard]] SendResult send_from_place(transport::Wait wait, Deadline deadline);
  [[nodiscard]] bool move_out_of_place(const cdr::Buffer& message) noexcept;
  [[nodiscard]] bool leave_place(const cdr::Buffer& message) noexcept;
  void place_left() noexcept override;
  void after_others() noexcept;
  void trace_message(const cdr::Buffer& message) const;
  [[nodiscard]] std::uint64_t messages_passed() const noexcept {
    return traffic_.messages_received.value() + traffic_.sent.messages.value();
  }
  // If there is no value, reading may go on.
  using Refusal = std::optional<ReadStatus>;
  [[nodiscard]] Refusal refuse_growth(transport::Wait wait, Deadline deadline) noexcept;
  [[nodiscard]] Refusal await_room(const messaging::Unfinished& unfinished,
                                   Deadline deadline) noexcept;
  void end_growth() noexcept;
  [[nodiscard]] bool has_unread_input() const noexcept override;
  [[nodiscard]] WaitingOutput waiting_output() const noexcept override;
  void evict(Eviction reason) noexcept override;
  void resume_input() noexcept override;
  [[nodiscard]] SendResult after_refusal(Sent sent);
  void call_flusher() noexcept {
    if (limits_.flusher != nullptr && queue_.blocked()) [[unlikely]]
      call_flusher_of_blocked();
  }
  void call_flusher_of_blocked() noexcept;
  void log_peer_that_does_not_read() noexcept;
  void log_full_queue() noexcept;
  void flush_rest() noexcept override;
  [[nodiscard]] bool must_be_flushed() const noexcept override { return queue_.blocked(); }

  const std::unique_ptr<transport::Transport> transport_;
  const std::unique_ptr<messaging::Session> session_;
  const bool datagrams_;
  const std::uint32_t fragment_size_;  // the protocol's limit, which never changes
  Inbox inbox_;                        // used by the holder of the read role
  const ChannelLimits limits_;
  const bool polls_busily_;        // the transport does not spin by itself
  const bool receives_specially_;  // it polls busily, or the transport may have output of its own
  const bool traced_;
  transport::SequenceLinks* const links_;  // null: all octets of messages are sent
  const bool encodes_in_place_;
  const bool sends_specially_;  // it is traced, or messages are made in memory of the transport
  Traffic traffic_;

  ReadRole read_role_;
  SessionSealer sealer_;
  OutgoingQueue queue_;
  messaging::OutgoingSegments segments_;  // kept, so that sending borrowed octets does not allocate
  std::atomic<bool> segments_used_{false};
  // The message that is made in memory of the transport. Changed by the writing thread.
  std::atomic<cdr::Buffer*> made_in_place_{nullptr};

  // Used by the holder of the read role.
  PausedReader* paused_reader_ = nullptr;
  std::atomic<int> receive_error_{0};
  bool drained_ = false;                 // the last receive of Wait::no was short
  bool reads_until_empty_ = datagrams_;  // a short receive does not mean that nothing is left
  std::size_t turn_left_ = std::numeric_limits<std::size_t>::max();  // octets
  bool receive_limited_ = false;                  // the transport's time-out is that of a deadline
  std::chrono::microseconds receive_timeout_{0};  // without a deadline
  std::chrono::microseconds set_timeout_{0};      // the transport's
  std::unique_ptr<std::byte[]> read_buffer_;

  UnfinishedInput unfinished_;  // last: until its end, the registry uses the other members
};

}  // namespace perigee::engine
