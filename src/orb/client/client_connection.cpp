// Leaders and followers on one client connection. A call that is alone takes the read role before
// it sends, is not in the table, and takes no lock; its steps are inlined.
#include "orb/client/client_connection.h"

#include "orb/connection/message_limits.h"
#include <perigee/base/log.h>
#include <perigee/base/probe.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

namespace perigee::orb {

using engine::ChannelLimits;
using engine::OutboundCalls;
using engine::ReadStatus;
using engine::SendResult;
using engine::SendStatus;
using engine::WaitingCall;
using messaging::MessageKind;
using transport::Wait;

namespace {

// Octets of a request that any transport takes without waiting for the peer to read.
constexpr std::size_t led_request_size_max = 64 * 1024;

// If so many consecutive calls run out of time while nothing comes from the peer, new calls use
// another connection. Calls that waited together count once.
constexpr std::uint32_t mute_deadlines_max = 3;
constexpr std::chrono::milliseconds mute_deadlines_apart{300};

// The most octets that a server may send on an idle connection between two checks.
constexpr std::size_t unasked_octets_max = std::size_t{1} << 20U;
constexpr std::uint32_t unasked_messages_max = 1024;

}  // namespace

ClientConnection::ClientConnection(std::unique_ptr<transport::Transport> transport,
                                   const messaging::MessagingProtocol& protocol,
                                   ChannelLimits limits,
                                   std::chrono::milliseconds first_reply_timeout,
                                   engine::TrafficLedger* ledger, WakeTimer* flush_timer)
    : connection_(std::move(transport), protocol, messaging::Role::opener, limits, ledger),
      oneways_(connection_, flush_timer, ledger),
      clock_(*limits.clock) {
  connection_.transport().end_watch();  // the calling threads read it
  if (first_reply_timeout <= std::chrono::milliseconds::zero()) return;
  // Without a time-out, a peer that never replies would block its callers. A failure to set the
  // time-out is ignored.
  first_reply_awaited_ = connection_.set_receive_timeout(first_reply_timeout);
}

TransactResult ClientConnection::transact(const cdr::Buffer& request, ReplySlot& slot) {
  try {
    return exchange(request, slot);
  } catch (...) {  // out of memory: the state of reading and sending is unknown
    (void)fail(FailureCause::transfer, messaging::FramingError::bad_header);
    leave_table(slot);
    finish(slot);
    throw;
  }
}

// A caller takes the read role before it sends only if the request is small and no other call is in
// flight. Otherwise a deadlock is possible: this thread waits in its send until the peer reads, and
// the peer waits until this thread reads replies.
TransactResult ClientConnection::exchange(const cdr::Buffer& request, ReplySlot& slot) {
  const bool leads = calls_.in_table() == 0 && request.size() <= led_request_size_max &&
                     connection_.read_role().try_take();
  if (leads) {
    slot.holds_token = true;
  } else if (!enlist(slot)) {  // before sending: another thread may read the reply at once
    return {FailureCause::transfer, InvocationStage::sending, false};
  }
  const SendResult sent = connection_.send(request, Wait::yes, slot.send_deadline);
  if (sent.status >= SendStatus::failed) return send_failed(&slot, sent.status);
  const bool queued = sent.status == SendStatus::queued && slot.send_deadline != slot.deadline;
  const FailureCause cause = queued  ? await_queued(slot, sent.position, leads)
                             : leads ? lead(slot)
                                     : follow(slot);
  if (cause == FailureCause::deadline) [[unlikely]]
    note_deadline(slot);
  return {cause, InvocationStage::awaiting, may_be_executed(sent, cause)};
}

// Other threads have to send the request. Until it is sent, its send deadline ends the wait.
FailureCause ClientConnection::await_queued(ReplySlot& slot, std::uint64_t position, bool leads) {
  slot.queued_as = position;
  slot.reply_deadline = std::exchange(slot.deadline, slot.send_deadline);
  const FailureCause cause = leads ? lead(slot) : follow(slot);
  slot.queued_as = 0;
  slot.deadline = slot.reply_deadline;
  return cause;
}

// Called at the slot's deadline. True if this was the send deadline and the request was sent in
// time: then the wait goes on until the reply deadline.
bool ClientConnection::goes_on_as_sent(ReplySlot& slot) noexcept {
  if (slot.queued_as == 0 || !connection_.sent(slot.queued_as)) return false;
  slot.queued_as = 0;
  slot.deadline = slot.reply_deadline;
  return true;
}

// If the connection goes on, a request that a caller leaves in the queue is sent later, unless the
// caller can withdraw it.
[[gnu::always_inline]] inline bool ClientConnection::may_be_executed(const SendResult& sent,
                                                                     FailureCause cause) noexcept {
  if (sent.status == SendStatus::sent || cause == FailureCause::none) return true;
  if (cause == FailureCause::reply_cut) return true;
  const bool connection_goes_on =
      cause == FailureCause::deadline || cause == FailureCause::nested_too_deep;
  if (connection_goes_on) return !connection_.withdraw(sent.position);
  return connection_.accepted(sent.position);
}

TransactResult ClientConnection::send_only(const cdr::Buffer& request, Deadline deadline) {
  const SendStatus sent = connection_.send(request, Wait::yes, deadline).status;
  if (sent >= SendStatus::failed) return send_failed(nullptr, sent);
  note_oneway();
  return {FailureCause::none, InvocationStage::sending, true};
}

// The request may have been sent in part, together with earlier requests. Then its outcome is
// unknown.
TransactResult ClientConnection::send_soon(const cdr::Buffer& request,
                                           const BufferingLimits& limits, Deadline deadline) {
  const OnewayBuffer::Put put = oneways_.put(request, limits, deadline);
  if (put.status < SendStatus::failed) {
    note_oneway();
    return {FailureCause::none, InvocationStage::sending, true};
  }
  TransactResult result = send_failed(nullptr, put.status);
  result.request_accepted = put.lost_with_others;
  return result;
}

// Called after the send. So each call that has this id or a later id is sent after the oneway.
void ClientConnection::note_oneway() noexcept {
  id_after_oneway_.store(calls_.following_id(), std::memory_order_relaxed);
}

// Ids start again at zero after the largest one, so the difference decides.
bool ClientConnection::has_unconfirmed_oneways() const noexcept {
  const std::uint32_t after = id_after_oneway_.load(std::memory_order_relaxed);
  if (after == no_id) return false;
  const std::uint32_t answered = answered_id_.load(std::memory_order_relaxed);
  return answered == no_id || static_cast<std::int32_t>(answered - after) < 0;
}

TransactResult ClientConnection::send_failed(ReplySlot* slot, SendStatus status) {
  // Other calls may still read replies that the peer sent before. New calls use another connection.
  if (status == SendStatus::failed) failed_.store(true, std::memory_order_release);
  const bool timed_out = status == SendStatus::timed_out;
  FailureCause cause = timed_out ? FailureCause::deadline : FailureCause::transfer;
  if (slot != nullptr && !timed_out) cause = read_early_answer(*slot);
  if (cause == FailureCause::none) return {cause, InvocationStage::awaiting, true};
  if (slot != nullptr) {
    leave_table(*slot);
    finish(*slot);
  }
  return {cause, InvocationStage::sending, false};
}

// A server that refuses a request because of its size replies after the first octets, and closes
// the connection. Returns `none` if the reply is in the slot.
FailureCause ClientConnection::read_early_answer(ReplySlot& slot) {
  if (slot.is_shared() && !delist(slot)) {  // another thread completes the call
    const WaitingCall::End how = slot.await(Deadline::never(), clock_);
    if (how == WaitingCall::End::reply && parse(slot)) return FailureCause::none;
    if (how != WaitingCall::End::leads) return FailureCause::transfer;
  }
  if (!slot.holds_token && !connection_.read_role().try_take()) return FailureCause::transfer;
  slot.holds_token = true;
  for (std::uint32_t left = unasked_messages_max; left > 0; --left) {
    if (connection_.read(slot.message, Wait::no) != ReadStatus::message) break;
    const FailureCause cause = take_message(slot);
    if (slot.delivered) return FailureCause::none;
    if (cause == FailureCause::message_error) return cause;
    if (cause != FailureCause::none) break;
  }
  return FailureCause::transfer;
}

// After several deadlines without input, the network may have lost the peer, so new calls use
// another connection. Calls that wait here go on, since the server may only be slow.
void ClientConnection::note_deadline(const ReplySlot& slot) noexcept {
  const TimePoint end = (slot.deadline.is_never() ? slot.send_deadline : slot.deadline).time();
  const std::uint64_t received = connection_.octets_received();
  const std::lock_guard lock(mute_lock_);
  if (mute_.count == 0 || received != mute_.received)
    mute_ = {received, 1, end};
  else if (end - mute_.last >= mute_deadlines_apart)
    mute_ = {received, mute_.count + 1, end};
  if (mute_.count >= mute_deadlines_max) failed_.store(true, std::memory_order_release);
}

void ClientConnection::finish(ReplySlot& slot) noexcept {
  if (!std::exchange(slot.holds_token, false)) return;
  pass_role_on();
}

// A call is marked as waiting before its thread tries to take the role. So this thread sees each
// waiting call, or the thread of that call finds the role free. A thread that is still sending does
// not get the role now; it tries to take the role after its send.
void ClientConnection::pass_role_on() noexcept {
  release_role();
  while (calls_.in_table() != 0 && calls_.any_awaiting() && connection_.read_role().try_take()) {
    if (hand_role_over()) return;
    release_role();
  }
}

// The role stays held: the next thread holds it from the moment when its call is completed.
bool ClientConnection::hand_role_over() noexcept {
  auto* const next = static_cast<ReplySlot*>(calls_.take_to_lead());
  if (next == nullptr) return false;
  next->holds_token = true;
  next->complete(WaitingCall::End::leads);
  return true;
}

// False: the connection has failed.
bool ClientConnection::enlist(ReplySlot& slot) {
  slot.share();
  if (calls_.depart(slot) == OutboundCalls::Status::ok) return true;
  slot.unshare();
  return false;
}

// False: another thread has taken the call out, and completes it.
bool ClientConnection::delist(ReplySlot& slot) noexcept {
  if (!calls_.withdraw(slot)) return false;
  slot.unshare();
  return true;
}

// Afterwards no other thread uses the slot. If another thread has taken the call out of the table,
// waits until that thread has completed the call.
void ClientConnection::leave_table(ReplySlot& slot) noexcept {
  if (slot.is_shared() && !delist(slot)) (void)slot.await(Deadline::never(), clock_);
}

// Reads until the slot's own reply is there. Holds the read role, and keeps it on success if no
// other call waits.
FailureCause ClientConnection::lead(ReplySlot& slot) {
  for (;;) {
    const FailureCause cause = read_one(slot);
    if (cause != FailureCause::none) {
      if (cause == FailureCause::deadline && goes_on_as_sent(slot)) continue;
      // A deadline or too deep nesting does not fail the connection: the late reply will be
      // dropped.
      const FailureCause own_cause = cause_for(slot, cause);
      if (cause != FailureCause::nested_too_deep && cause != FailureCause::deadline)
        (void)fail(cause, connection_.framing_error());
      finish(slot);
      return own_cause;
    }
    if (slot.delivered) return FailureCause::none;
  }
}

FailureCause ClientConnection::follow(ReplySlot& slot) {
  calls_.sent(slot);
  if (!connection_.read_role().try_take()) return await_completion(slot);
  if (!delist(slot)) {
    pass_role_on();
    return await_completion(slot);
  }
  slot.holds_token = true;
  return lead(slot);
}

// At the deadline the call leaves the table, unless another thread completes it just then.
FailureCause ClientConnection::await_completion(ReplySlot& slot) {
  for (;;) {
    const WaitingCall::End how = slot.await(slot.deadline, clock_);
    if (how != WaitingCall::End::none) return after_completion(slot, how);
    if (goes_on_as_sent(slot)) continue;
    if (delist(slot)) return FailureCause::deadline;
    return after_completion(slot, slot.await(Deadline::never(), clock_));
  }
}

FailureCause ClientConnection::after_completion(ReplySlot& slot, WaitingCall::End end) {
  if (end == WaitingCall::End::leads) return lead(slot);
  if (end == WaitingCall::End::failed) return slot.failure;
  if (parse(slot)) return FailureCause::none;
  return fail(FailureCause::bad_message, messaging::FramingError::bad_header);
}

namespace {

FailureCause cause_of(ReadStatus status) noexcept {
  switch (status) {
    case ReadStatus::message:
      return FailureCause::none;
    case ReadStatus::timed_out:
    case ReadStatus::would_block:
    case ReadStatus::turn_over:
      return FailureCause::timed_out;
    case ReadStatus::end_of_stream:
    case ReadStatus::failed:
      return FailureCause::transfer;
    case ReadStatus::bad_message:
      break;
  }
  return FailureCause::bad_message;
}

}  // namespace

// Blocks. In an upcall on the only thread of a loop, serves other requests meanwhile.
[[gnu::always_inline]] inline FailureCause ClientConnection::read_message(ReplySlot& slot) {
  while (slot.nested_server != nullptr) {
    const ReadStatus status = connection_.read(slot.message, Wait::no);
    if (status != ReadStatus::would_block) return cause_of(status);
    const Deadline until = std::min(slot.deadline, slot.mute_until);
    switch (slot.nested_server->wait_readable(connection_.transport().readiness_fd(), until)) {
      case Server::Nested::readable:
        break;
      case Server::Nested::timed_out:
        return slot.deadline <= slot.mute_until ? FailureCause::deadline : FailureCause::timed_out;
      case Server::Nested::too_deep:
        return FailureCause::nested_too_deep;
      case Server::Nested::not_here:
        slot.nested_server = nullptr;
        break;
    }
  }
  return read_blocking(slot);
}

[[gnu::always_inline]] inline FailureCause ClientConnection::read_blocking(ReplySlot& slot) {
  const ReadStatus status = connection_.read(slot.message, Wait::yes, slot.deadline);
  // On a new connection, the time-out of the first reply may pass before the deadline.
  if (status == ReadStatus::timed_out && slot.deadline.passed(clock_.now())) [[unlikely]]
    return FailureCause::deadline;
  return cause_of(status);
}

// Reads one message. The slot's own reply sets `delivered`.
[[gnu::always_inline]] inline FailureCause ClientConnection::read_one(ReplySlot& slot) {
  const FailureCause cause = read_message(slot);
  return cause == FailureCause::none ? take_message(slot) : cause;
}

void ClientConnection::log_flood() const noexcept try {
  log::write(log::Level::info, "orb",
             connection_.peer() + " floods an idle connection with messages: it is closed");
} catch (const std::exception& exception) {  // no memory for the line
  log::write(log::Level::info, "orb", exception.what());
}

void ClientConnection::look_for_close() {
  ReplySlot none;
  none.id = 1;  // the client's own ids are even
  if (calls_.in_table() != 0 || !connection_.read_role().try_take()) return;
  none.holds_token = true;
  struct Turn {
    ClientConnection& connection;
    ReplySlot& slot;
    bool is_over = false;  // false at the end: out of memory, so the state of reading is unknown
    ~Turn() {
      if (!is_over)
        (void)connection.fail(FailureCause::transfer, messaging::FramingError::bad_header);
      connection.connection_.begin_turn(std::numeric_limits<std::size_t>::max());
      connection.finish(slot);
    }
  } turn{*this, none};
  connection_.begin_turn(unasked_octets_max);
  read_unasked(none);
  turn.is_over = true;
}

// All connections share the thread that checks: a server that floods the client with late replies
// must not occupy it.
void ClientConnection::read_unasked(ReplySlot& none) {
  for (std::uint32_t messages = 0;; ++messages) {
    const ReadStatus status = connection_.read(none.message, Wait::no);
    if (status == ReadStatus::would_block) return;
    const bool floods = status == ReadStatus::turn_over || messages == unasked_messages_max;
    FailureCause cause = FailureCause::bad_message;
    if (!floods) cause = status == ReadStatus::message ? take_message(none) : cause_of(status);
    if (cause == FailureCause::none) continue;
    if (floods && calls_.in_table() != 0) return;  // a thread waits, and reads on
    if (floods) log_flood();
    (void)fail(cause, connection_.framing_error());
    return;
  }
}

[[gnu::always_inline]] inline FailureCause ClientConnection::take_message(ReplySlot& slot) {
  if (first_reply_awaited_) complete_first_reply();
  switch (slot.message.kind) {
    case MessageKind::reply:
      return take_reply(slot);
    case MessageKind::close_connection:
      return FailureCause::closed_by_peer;
    case MessageKind::message_error:
      return FailureCause::message_error;
    case MessageKind::locate_reply:
      return FailureCause::none;  // late: no call waits for it
    case MessageKind::request:
    case MessageKind::cancel_request:
    case MessageKind::locate_request:
      break;  // the client serves no requests on this connection
  }
  return FailureCause::bad_message;
}

[[gnu::always_inline]] inline FailureCause ClientConnection::take_reply(ReplySlot& slot) {
  if (!parse(slot)) [[unlikely]]
    return connection_.drop_datagram() ? FailureCause::none : FailureCause::bad_message;
  const std::uint32_t request_id = slot.reply->header.request_id;
  answered_id_.store(request_id, std::memory_order_relaxed);
  if (request_id != slot.id) {
    slot.reply.reset();
    deliver(request_id, slot.message);
    return FailureCause::none;
  }
  slot.delivered = true;
  if (calls_.in_table() == 0) return FailureCause::none;
  slot.message.keep();  // other calls wait: their threads need the read buffer and the role
  (void)parse(slot);
  finish(slot);
  return FailureCause::none;
}

namespace {

/// Completes a call that was taken out of the table, also if there is no memory for its reply.
class Delivery {
 public:
  explicit Delivery(ReplySlot& slot) noexcept : slot_(slot) {
    slot.failure = FailureCause::transfer;
  }
  ~Delivery() {
    slot_.complete(slot_.failure == FailureCause::none ? WaitingCall::End::reply
                                                       : WaitingCall::End::failed);
  }
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

 private:
  ReplySlot& slot_;
};

}  // namespace

// Hands a reply to the call that waits for it. Late replies are dropped (interop fact 18 of
// docs/interop.md).
void ClientConnection::deliver(std::uint32_t request_id, messaging::IncomingMessage& message) {
  auto* const slot = static_cast<ReplySlot*>(calls_.take(request_id));
  if (slot == nullptr) return;
  const Delivery delivery(*slot);
  message.keep();
  slot->message = std::move(message);
  slot->failure = FailureCause::none;
}

void ClientConnection::complete_first_reply() {
  first_reply_awaited_ = false;
  (void)connection_.set_receive_timeout(std::chrono::microseconds::zero());
}

bool ClientConnection::parse(ReplySlot& slot) const {
  auto parsed = connection_.session().parse_reply(slot.message, slot.contexts);
  if (!parsed) return false;
  slot.reply = *parsed;
  probe::stamp(probe::Point::reply_parsed);
  return true;
}

// If the cause is CloseConnection, only the reading thread may call this.
FailureCause ClientConnection::cause_for(const ReplySlot& slot, FailureCause cause) const noexcept {
  const bool cut = cause == FailureCause::closed_by_peer && connection_.has_part_of_reply(slot.id);
  return cut ? FailureCause::reply_cut : cause;
}

// The first failure ends all calls.
FailureCause ClientConnection::fail(FailureCause cause, messaging::FramingError framing) noexcept {
  failed_.store(true, std::memory_order_release);
  FailureCause none = FailureCause::none;
  if (failure_.compare_exchange_strong(none, cause)) framing_.store(framing);
  calls_.close();
  while (auto* const slot = static_cast<ReplySlot*>(calls_.take_any())) {
    slot->failure = cause_for(*slot, cause);
    slot->complete(WaitingCall::End::failed);
  }
  connection_.close();
  return cause;
}

void ClientConnection::describe(InvocationError& error, InvocationStage stage) const {
  error.endpoint = connection_.peer();
  error.framing = framing_.load();
  error.limit_text.clear();
  // No thread reads any more: the limit does not change.
  if (failure_.load() == FailureCause::bad_message)
    error.limit_text = to_string(connection_.exceeded_limit());
  error.io.endpoint = connection_.peer();
  error.io.operation = stage == InvocationStage::sending ? IoOperation::send : IoOperation::receive;
  error.io.code = connection_.error_code();
  error.io.kind = error.io.code != 0 ? IoErrorKind::system : IoErrorKind::end_of_stream;
}

}  // namespace perigee::orb
