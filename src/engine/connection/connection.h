// A connection of a server or a client: one transport with its messages, requests and calls.
#pragma once

#include "engine/connection/agreement.h"
#include "engine/connection/channel.h"
#include "engine/connection/cork_rule.h"
#include "engine/connection/hold_queue.h"
#include "engine/connection/home.h"
#include "engine/connection/inbound_requests.h"
#include "engine/connection/message_place.h"
#include "engine/connection/outbound.h"
#include "engine/connection/paused_reader.h"
#include "engine/connection/read_role.h"
#include "engine/connection/recent_ids.h"
#include "engine/connection/request_handler.h"
#include "engine/connection/stand_still.h"
#include "engine/connection/started_call.h"
#include "engine/connection/thread_frame.h"
#include "engine/memory/pace.h"
#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/base/log.h>
#include <perigee/base/short_lock.h>
#include <perigee/messaging/protocol.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace perigee::engine {

/// A transport that was accepted or connected, and the messages that it carries.
struct Accepted {
  std::unique_ptr<transport::Transport> transport;
  const messaging::MessagingProtocol* messaging = nullptr;  ///< lives as long as the ORB
  std::shared_ptr<RecentRequests> requests = {};  ///< of a datagram sender; null: a new list
};

/// Any thread, unless a function says otherwise. Counted: the registry of its home, events,
/// deferred requests, armed timers, posted tasks, a dedicated reader and ConnectionRefs hold
/// references.
///
/// The thread that holds the read role reads. It lends the role for the length of a two-way upcall;
/// a thread that gets an event of the connection meanwhile takes the role over. Oneways run under
/// the role, in the order of their arrival. Each thread sends its own replies. A thread of a loop
/// never waits for the client: the home loop later sends the octets that the transport refuses.
///
/// A dedicated reader is a thread of the connection's own. It reads and sends with blocking calls,
/// and the connection is in no poller. The home loop gets the connection if an upcall lasts for two
/// ticks of the supervisor and more requests come. It also gets the connection if the connection
/// has to pause, if most replies are deferred, or if this side makes calls on it.
///
/// The connection stops reading while the client does not read its replies, or has as many deferred
/// requests as allowed. This back-pressure reaches the client through the transport. A connection
/// with calls in flight reads on, for their replies. A connection whose client takes no octets for
/// `send_timeout` is cut.
class PERIGEE_INTERNAL_TYPE Connection final : public Pollable,
                                               public HoldOwner,
                                               private PausedReader {
 public:
  enum class Reading : std::uint8_t {
    on_loop,
    dedicated,  ///< by a thread of its own, if there is one
  };

  /// `side`: acceptor, or opener. Both sides send requests and serve requests; an opener serves
  /// them only if the agreement is bidirectional.
  PERIGEE_INTERNAL_API Connection(Home& home, Accepted accepted, Reading reading = Reading::on_loop,
                                  messaging::Role side = messaging::Role::acceptor);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Enters the registry and the poller. False: the connection has ended, because the poller
  /// refuses it, or because the budget has no room for its handshake.
  [[nodiscard]] PERIGEE_INTERNAL_API bool start() noexcept;
  /// @name With a dedicated reader
  /// @{
  /// Enters the registry. The dedicated reader holds the read role from now on. False: the budget
  /// has no room for the handshake, and the connection has ended.
  [[nodiscard]] PERIGEE_INTERNAL_API bool start_dedicated() noexcept;
  /// The body of the dedicated reader. When it returns, the home loop reads the connection, or the
  /// connection has ended.
  PERIGEE_INTERNAL_API void serve_dedicated() noexcept;
  /// Lets the home loop read on. The caller holds the read role, and loses it.
  PERIGEE_INTERNAL_API void hand_over() noexcept;
  /// @}
  void handle_event(const Event& event) noexcept override;
  /// Dispatches a parked request again.
  void handle_parked(messaging::IncomingMessage& message, ThreadFrame& frame) noexcept;
  /// Admits no further request; sends CloseConnection when no request is in progress.
  PERIGEE_INTERNAL_API void drain() noexcept;
  /// Closes the transport at once. The reading thread then finds the end of the input.
  void cut() noexcept;
  /// Ends the connection, and the calls on it, also if no thread runs its loop any more. A thread
  /// that is reading finds the end itself.
  PERIGEE_INTERNAL_API void shut_down() noexcept;

  /// @name Calls of this side. The caller has a reference to the connection.
  /// @{
  /// Sends a request. Never blocks: behind other messages, the request waits in the queue.
  [[nodiscard]] PERIGEE_INTERNAL_API StartStatus start_call(StartedCall& call, EncodeRequest encode,
                                                            Deadline deadline = {}) noexcept;
  /// Ends a call after `start_call` has returned. Sends CancelRequest if the peer may have the
  /// request. False: another thread has ended the call, and `ended` runs or has run.
  [[nodiscard]] PERIGEE_INTERNAL_API bool withdraw_call(StartedCall& call,
                                                        bool& request_accepted) noexcept;
  /// The same in two steps, for a caller that holds a lock. `take_call` takes the call out and
  /// sends nothing. `cancel_taken` must follow; it returns whether the peer may have the request.
  [[nodiscard]] bool take_call(StartedCall& call) noexcept;
  [[nodiscard]] bool cancel_taken(const StartedCall& call) noexcept;
  /// Changes the time limit of a call, unless it has ended.
  void limit_call(StartedCall& call, Deadline deadline) noexcept;
  /// Sends a two-way request and waits for its reply. Meanwhile other threads serve the loop of the
  /// calling thread, or the thread runs nested turns. A thread without a loop runs the loop of the
  /// application if no other thread does.
  [[nodiscard]] CallResult call(messaging::Version version, EncodeRequest encode,
                                Deadline deadline = {}) noexcept;
  /// How many calls have not ended: their requests are being sent, or they wait for replies.
  [[nodiscard]] std::uint32_t calls() const noexcept {
    const Outbound* const out = outbound_.load();
    return out != nullptr ? out->calls.listed() : 0;
  }
  /// Whether nothing more can be sent, or the connection ends. Its calls may have failed already.
  [[nodiscard]] bool ending() const noexcept {
    const Outbound* const out = outbound_.load();
    const bool failed = out != nullptr && out->failure.load() != CallFailure::none;
    return failed || state_.load() != State::open || io_.broken() || closing_.load();
  }
  /// @}

  /// @name For the handler of requests
  /// @{
  /// The place in which an upcall makes its reply. If the reply will be held back for its batch,
  /// the place is the own memory of `reply`.
  [[nodiscard]] MessagePlace place_for(cdr::Buffer& reply, const ThreadFrame& frame) noexcept {
    return MessagePlace(io_, reply, io_.encodes_in_place() && !joins_batch(frame));
  }
  /// Sends a message of the upcall that uses the frame; replies of one batch leave together.
  PERIGEE_INTERNAL_API void send(const cdr::Buffer& message, ThreadFrame& frame) noexcept;
  /// Sends a reply to a deferred request.
  PERIGEE_INTERNAL_API void send_deferred(const cdr::Buffer& message) noexcept;
  /// Parks the request until its hold point opens. False: it has to be refused.
  [[nodiscard]] PERIGEE_INTERNAL_API bool park(IncomingRequest& request,
                                               const void* hold_point) noexcept;
  /// From now on, `later` replies to the request. `end_deferred` must follow.
  void defer(IncomingRequest& request, DeferredRequest& later) noexcept {
    requests_.defer(request, later);
  }
  void end_deferred(DeferredRequest& request) noexcept { left(requests_.leave(request)); }
  [[nodiscard]] InboundRequests& requests() noexcept { return requests_; }
  [[nodiscard]] Agreement& agreement() noexcept { return agreement_; }
  [[nodiscard]] const Agreement& agreement() const noexcept { return agreement_; }
  [[nodiscard]] const messaging::Session& session() const noexcept { return io_.session(); }
  [[nodiscard]] const transport::Transport& transport() const noexcept { return io_.transport(); }
  [[nodiscard]] Home& home() const noexcept { return home_; }
  /// Reads no further request from now on, until `admit_requests`: the handler has no room for
  /// more. One more request may have been received already; it waits. A handler calls this while it
  /// handles a request of the connection.
  void hold_requests() noexcept { requests_held_.store(true); }
  PERIGEE_INTERNAL_API void admit_requests() noexcept;
  /// Whether the peer takes no octets at present. When it has taken all octets that wait, the
  /// connection calls RequestHandler::output_free.
  [[nodiscard]] bool output_blocked() const noexcept { return io_.blocked_output(); }
  /// Whether the connection has ended. The handler was told so, or is being told.
  [[nodiscard]] bool is_closed() const noexcept { return state_.load() == State::closed; }
  [[nodiscard]] messaging::Role role() const noexcept { return side_; }
  /// The limit that the peer has exceeded, if calls of this side ended with `bad_message`, or a
  /// request is refused with `too_large`.
  [[nodiscard]] const ExceededLimit& exceeded_limit() const noexcept {
    return io_.exceeded_limit();
  }
  /// @}

  void add_reference() noexcept override { references_.fetch_add(1, std::memory_order_relaxed); }
  void drop_reference() noexcept override {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  [[nodiscard]] bool begin_parked(std::size_t octets) noexcept override;
  void end_parked(std::size_t octets) noexcept override;

  /// Called before the calling thread runs nested turns in an upcall that uses `frame`. Sends held
  /// replies, and lets nested turns read.
  void before_nested_turns(ThreadFrame& frame) noexcept;
  /// Called before the calling thread blocks in an upcall of the connection. Sends held replies.
  void before_blocking() noexcept { uncork(); }
  /// Called before the calling thread waits in an observer that uses a reply of the connection.
  void call_for_replies() noexcept;
  /// For tests: asserts the invariants of the parts.
  void check_invariants() const noexcept;

 private:
  friend class Home;
  friend struct Outbound;

  /// The state of a dedicated reader, or of a thread in an observer, for the supervisor.
  enum class Upcall : std::uint8_t {
    none,   ///< no upcall is in progress, or the loop was called for it already
    began,  ///< an upcall has begun since the last look
    stays,  ///< the upcall began before the last look: the loop has to be called now
  };

  // opening: the transport exchanges octets of its own, and no message is sent. refusing: the peer
  // sends a request that is too large; its octets are dropped, and the requests in progress have
  // `drain_timeout` to be answered. finishing: no request is read, and only queued messages are
  // sent. lingering: all messages are sent; octets of the client are dropped until the client
  // closes the connection.
  enum class State : std::uint8_t { opening, open, refusing, finishing, lingering, closed };
  enum class Turn : std::uint8_t {
    over,  ///< nothing more to read now
    more,  ///< other connections have their turn first
    lost,  ///< another thread took the role over, or the connection is closed
  };
  enum class Kept : std::uint8_t { no, yes };

  class Watch final : public Timer {
   public:
    explicit Watch(Connection& connection) noexcept : Timer(&fire), connection_(connection) {}

   private:
    static void fire(Timer& timer) noexcept;
    Connection& connection_;
  };

  PERIGEE_INTERNAL_API ~Connection();

  // Reading: connection_read.cpp, connection_requests.cpp. Only the thread that holds the read role
  // calls these functions.
  [[nodiscard]] bool take_over() noexcept;
  void read_turn(ThreadFrame& frame) noexcept;
  [[nodiscard]] Turn read_messages(ThreadFrame& frame);
  [[nodiscard]] Turn take_messages(ThreadFrame& frame);
  [[nodiscard]] ReadStatus next_message(messaging::IncomingMessage& message, ThreadFrame& frame);
  [[nodiscard]] ReadStatus next_of_batch(messaging::IncomingMessage& message, ThreadFrame& frame);
  [[nodiscard]] bool pauses() noexcept;
  [[nodiscard]] bool begin_pause() noexcept;
  [[nodiscard]] bool all_taken() const noexcept;
  // Whether the connection handles received requests even without room for them. It does so when it
  // is broken, unless requests are executed in order.
  [[nodiscard]] bool is_read_to_end() const noexcept {
    return io_.broken() && requests_.order() == RequestOrder::none;
  }
  [[nodiscard]] bool must_pause() const noexcept {
    const bool waits = waiting_ && must_wait();
    return (io_.blocked_output() && !io_.broken()) || waits;
  }
  /// Whether no further request may start now.
  [[nodiscard]] bool must_wait() const noexcept {
    return (requests_.full() || requests_held_.load()) && !is_read_to_end();
  }
  /// A turn in which no message can be read. std::nullopt: the transport has just been opened.
  [[nodiscard]] std::optional<Turn> read_without_messages(ThreadFrame& frame);
  [[nodiscard]] std::optional<Turn> open_transport(ThreadFrame& frame);
  [[nodiscard]] Turn drop_input(ThreadFrame& frame) noexcept;
  [[nodiscard]] Turn end_of_input() noexcept;
  /// False: the role is lost.
  [[nodiscard]] bool handle(messaging::IncomingMessage& message, ThreadFrame& frame);
  [[nodiscard]] bool handle_request(messaging::IncomingMessage& message, ThreadFrame& frame);
  [[nodiscard]] bool dispatch(IncomingRequest& request);
  [[nodiscard]] bool dispatch_alone(IncomingRequest& request);
  /// Called after an upcall that may have lent the role. False: another thread has taken the role
  /// over.
  [[nodiscard]] bool reclaim_lent(ThreadFrame& frame) noexcept {
    const bool lent =
        std::exchange(frame.lending, ThreadFrame::Lending::none) == ThreadFrame::Lending::lent;
    if (!lent || role_.reclaim(frame.lent_role)) [[likely]]
      return true;
    uncork();
    return false;
  }
  [[nodiscard]] bool dispatch_dedicated(IncomingRequest& request);
  void upcall(IncomingRequest& request) noexcept;
  [[nodiscard]] Kept keep_behind_others(IncomingRequest& request) noexcept;
  [[nodiscard]] bool takes_datagram(const messaging::RequestHeader& header) noexcept;
  [[nodiscard]] bool may_reply() noexcept;
  void stop_deferred_of_gone() noexcept;
  void handle_cancel(const messaging::IncomingMessage& message, ThreadFrame& frame);
  void reject(ThreadFrame& frame) noexcept;
  void reject_unreadable(ThreadFrame& frame) noexcept;
  void reject_request(messaging::FramingError error, ThreadFrame& frame) noexcept;
  [[nodiscard]] bool refuse_large(ThreadFrame& frame) noexcept;
  void keep(messaging::IncomingMessage& message);
  void close() noexcept;
  void resume_reading() noexcept override { home_.reactor().mark_ready(*this); }
  void after_other_output() noexcept override {
    if (state_.load(std::memory_order_relaxed) != State::closed) after_send();
  }

  // Calls of this side: connection_calls.cpp, connection_call_ends.cpp.
  [[nodiscard]] Outbound* outbound() noexcept;
  [[nodiscard]] bool awaits_replies() const noexcept;
  [[nodiscard]] bool has_calls() const noexcept;
  [[nodiscard]] bool has_room_for_request() const noexcept;
  /// Called by a thread that has added its call to the calls of the connection. False: the
  /// connection ends.
  [[nodiscard]] bool may_start() noexcept;
  [[nodiscard]] StartStatus send_oneway(Outbound& out, StartedCall& call,
                                        const cdr::Buffer& request) noexcept;
  [[nodiscard]] StartStatus send_request(Outbound& out, StartedCall& call,
                                         const cdr::Buffer& request) noexcept;
  [[nodiscard]] SendResult try_send(const StartedCall& call, const cdr::Buffer& request) noexcept;
  [[nodiscard]] bool may_hold_for_turn() const noexcept;
  [[nodiscard]] SendResult hold_for_turn(const cdr::Buffer& request);
  [[nodiscard]] StartStatus settle_request(SendStatus status, StartStatus sent) noexcept;
  void call_home_loop() noexcept;
  void lend_for_wait(ThreadFrame& frame) noexcept;
  /// False: the role is lost.
  [[nodiscard]] bool handle_reply(messaging::IncomingMessage& message, ThreadFrame& frame);
  [[nodiscard]] bool answer(std::uint32_t id, CallEnd& end, ThreadFrame& frame) noexcept;
  [[nodiscard]] bool answer_lending(StartedCall& call, CallEnd& end, ThreadFrame& frame) noexcept;
  [[nodiscard]] bool answer_sharing(StartedCall& call, CallEnd& end, ThreadFrame& frame) noexcept;
  [[nodiscard]] bool answer_keeping(StartedCall& call, CallEnd& end, ThreadFrame& frame) noexcept;
  void leave_dedicated(ThreadFrame& frame) noexcept;
  void end_without_reply(StartedCall& call, CallFailure failure) noexcept;
  void note_failure(CallFailure failure) noexcept;
  void fail_calls(CallFailure failure) noexcept;
  [[nodiscard]] bool cancel_request(const StartedCall& call) noexcept;
  void watch_calls(Outbound& out, Deadline deadline) noexcept;
  void watch_first_reply() noexcept;
  void note_reply() noexcept {
    if (!agreement_.answered.load(std::memory_order_relaxed)) [[unlikely]]
      agreement_.answered.store(true, std::memory_order_relaxed);
  }
  void end_late_calls() noexcept;
  void end_expiry() noexcept;
  [[nodiscard]] bool calls_over() noexcept;
  void call_left(Outbound& out) noexcept;
  [[nodiscard]] bool serves_requests() const noexcept;
  /// True: the request was kept for later, or refused. False: it can be dispatched now.
  [[nodiscard]] bool keep_or_refuse(messaging::IncomingMessage& message, ThreadFrame& frame);
  /// False: there is no room for `message` behind the waiting request.
  [[nodiscard]] bool keep_behind_waiting(messaging::IncomingMessage& message);
  void drop_kept() noexcept;
  void refuse(messaging::IncomingMessage& message, ThreadFrame& frame, Refusal refusal);
  [[nodiscard]] ReadStatus next_kept(messaging::IncomingMessage& message, ThreadFrame& frame);

  // Dedicated readers: connection_dedicated.cpp.
  [[nodiscard]] Upcall look_at_upcall() noexcept;
  /// Whether messages are held now and were held at the last look, and no upcall has begun
  /// meanwhile.
  [[nodiscard]] bool held_since_last_look(bool holds) noexcept;
  void call_for_lent_role() noexcept;
  [[nodiscard]] bool note_deferral(ThreadFrame& frame) noexcept;
  bool enter_poller() noexcept;
  [[nodiscard]] bool register_locked() noexcept;
  void leave_poller() noexcept;
  [[nodiscard]] bool return_to_dedicated() noexcept;

  // Sending and ending: connection.cpp.
  void before_upcall(const ThreadFrame& frame) noexcept {
    if (frame.more_at_hand || io_.held_output() != 0) [[unlikely]]
      uncork_late(frame);
  }
  void uncork_late(const ThreadFrame& frame) noexcept;
  [[nodiscard]] PERIGEE_INTERNAL_API bool holds_replies(const ThreadFrame& frame) const noexcept;
  /// Whether a reply of the upcall that uses the frame leaves with other replies of its batch.
  [[nodiscard]] bool joins_batch(const ThreadFrame& frame) const noexcept {
    return (frame.more_at_hand || io_.held_output() != 0) && holds_replies(frame);
  }
  void uncork() noexcept;
  void send_now(const cdr::Buffer& message, transport::Wait wait = transport::Wait::no) noexcept;
  /// Called after each send and flush. Takes no lock and makes no system call, except if the output
  /// is or was blocked, or the connection is ending.
  void after_send() noexcept {
    if (io_.broken() || io_.blocked_output() || io_.yielded_output() ||
        output_armed_.load(std::memory_order_relaxed) || paused_.load() ||
        state_.load(std::memory_order_relaxed) != State::open) [[unlikely]]
      settle_output();
  }
  void settle_output() noexcept;
  void update_interest() noexcept;
  [[nodiscard]] bool charge_opening() noexcept;
  void release_opening() noexcept;
  void want_writable(bool wanted) noexcept;
  void resume() noexcept;
  void left(InboundRequests::Left left) noexcept {
    if (left.last || left.has_room || input_ended_.load(std::memory_order_relaxed)) [[unlikely]]
      go_on_after(left);
  }
  PERIGEE_INTERNAL_API void go_on_after(InboundRequests::Left left) noexcept;
  void send_close() noexcept;
  void send_close_now() noexcept;
  void begin_finishing() noexcept;
  void check_output_end() noexcept;

  // The watch: connection_watch.cpp.
  struct Finding {
    Deadline next;      // time of the next look
    bool idle = false;  // nothing has passed for `idle_timeout`
    bool slow = false;  // the client takes nothing
    bool late = false;  // the client takes less than the pace asks for
    bool over = false;  // the connection has to be cut
  };
  void look() noexcept;
  [[nodiscard]] Finding look_at_state(TimePoint now) noexcept;
  [[nodiscard]] Finding look_at_opening(TimePoint now) noexcept;
  [[nodiscard]] Finding look_at_open(TimePoint now) noexcept;
  [[nodiscard]] Finding look_at_ending(TimePoint now) noexcept;
  void look_at_blocked_output(TimePoint now, Finding& finding) noexcept;
  void look_at_send(TimePoint now, Finding& finding) noexcept;
  [[nodiscard]] bool falls_behind(TimePoint now, std::uint64_t message,
                                  std::uint64_t octets) noexcept;
  void end_output_pace() noexcept;
  void look_at_drain(TimePoint now, Finding& finding) noexcept;
  void look_at_first_reply(TimePoint now, Finding& finding) noexcept;
  [[nodiscard]] bool begin_idle_close() noexcept;
  void count_late_client() noexcept;
  void log_client(log::Level level, const char* text) noexcept;

  Home& home_;
  const messaging::Role side_;
  Channel io_;
  InboundRequests requests_;
  Agreement agreement_;
  ReadRole role_;
  Watch watch_{*this};
  std::atomic<std::uint32_t> references_{1};
  std::atomic<State> state_;
  std::atomic<bool> peer_ended_{false};   // an event has reported the end; octets may be unread
  std::atomic<bool> input_ended_{false};  // the end of the input was read
  std::atomic<bool> dedicated_{false};    // a dedicated reader reads the connection
  std::atomic<bool> draining_{false};     // the connection ends when no request is in progress
  std::atomic<bool> octets_lent_{false};  // further octets were at hand when the role was lent
  std::atomic<bool> keeps_role_{false};   // an observer runs: no event takes the role over at once
  std::atomic<bool> paused_{false};       // no request is admitted until there is room
  std::atomic<bool> requests_held_{false};  // the handler has no room: see hold_requests
  std::atomic<bool> rejected_{false};       // the peer has sent a malformed message
  std::atomic<bool> closing_{false};        // CloseConnection is due: no call of this side begins
  std::atomic<bool> idle_close_{false};     // the watch is deciding about an idle close
  std::atomic<bool> awaits_first_reply_{false};  // a call was sent: the watch limits its wait
  std::atomic<Outbound*> outbound_{nullptr};     // owned; made with the first call of this side

  // Guarded by the read role.
  std::optional<messaging::IncomingMessage> waiting_;  // a request that there is no room for
  std::shared_ptr<RecentRequests> recent_requests_;    // shared by the listener; null on streams
  const bool may_be_dedicated_;
  const bool transport_buffers_;
  std::uint32_t upcalls_alone_ = 0;   // upcalls on the loop since a take-over or deferred reply
  std::uint64_t opening_charge_ = 0;  // octets of the budget for handshakes

  CorkRule cork_rule_;  // used by a dedicated reader, or by a loop of one thread

  ShortLock output_lock_;  // guards changes of the next three members
  std::atomic<bool> output_armed_{false};
  bool removed_ = false;
  std::atomic<bool> registered_{false};

  ShortLock watch_lock_;  // guards the members below
  bool watch_ended_ = false;
  Deadline watch_armed_;  // never: it is not armed
  StandStill idle_;       // watches messages, or the peer's octets while the connection ends
  StandStill output_;
  static constexpr std::uint64_t no_message = ~std::uint64_t{0};
  Pace output_pace_;  // the pace of one message, or the pace since the output was blocked
  std::uint64_t paced_message_ = no_message;  // how many messages were sent before that message
  StandStill end_;

  // Guarded by the mutex of the home's registry.
  Connection* next_ = nullptr;
  Connection* previous_ = nullptr;
  std::uint64_t visit_ = 0;
  std::uint64_t epoch_seen_ = 0;  // the epoch of the read role at the supervisor's last look
  std::uint64_t held_epoch_ = 0;  // the same, at the last look at held messages
  bool held_ = false;             // messages were held at the last look
  // The epoch of the upcall for which the loop was called.
  std::atomic<std::uint64_t> epoch_called_{0};
};

}  // namespace perigee::engine
