// The calls of this side: starting, replies, and requests that wait while replies are read.
#include "engine/connection/connection.h"
#include "engine/loops/loop_threads.h"
#include <perigee/base/log.h>

#include <exception>
#include <mutex>
#include <new>
#include <utility>

namespace perigee::engine {

using messaging::IncomingMessage;
using messaging::MessageKind;
using transport::Wait;

namespace {

StartStatus refused(OutboundCalls::Status status) noexcept {
  return status == OutboundCalls::Status::full ? StartStatus::too_many : StartStatus::closed;
}

}  // namespace

// Two threads may make the object at the same time: the second thread deletes its own.
Outbound* Connection::outbound() noexcept {
  Outbound* present = outbound_.load();
  if (present != nullptr) return present;
  std::unique_ptr<Outbound> made(
      new (std::nothrow) Outbound(*this, side_, home_.settings().requests_in_flight_max));
  if (made && outbound_.compare_exchange_strong(present, made.get())) return made.release();
  return present;
}

bool Connection::awaits_replies() const noexcept {
  const Outbound* const out = outbound_.load();
  return out != nullptr && out->calls.in_table() != 0;
}

bool Connection::has_calls() const noexcept {
  const Outbound* const out = outbound_.load();
  return out != nullptr && out->calls.listed() != 0;
}

// --- Starting ---

// If replies and requests share the queue, requests may fill one half of it: a reply that finds the
// queue full ends the connection.
bool Connection::has_room_for_request() const noexcept {
  const std::size_t octets_max = home_.settings().write_queue_size_max;
  return io_.queued_octets() <= (serves_requests() ? octets_max / 2 : octets_max);
}

StartStatus Connection::start_call(StartedCall& call, EncodeRequest encode,
                                   Deadline deadline) noexcept {
  Outbound* const out = outbound();
  if (out == nullptr) return StartStatus::no_memory;
  if (state_.load() != State::open || io_.broken()) return StartStatus::closed;
  if (!out->calls.has_room() || !has_room_for_request()) return StartStatus::too_many;
  const cdr::Buffer* request = nullptr;
  call.id = out->calls.next_id();
  try {
    request = encode(io_.session(), call.id);
  } catch (const std::exception& exception) {  // no memory
    log::write(log::Level::error, "engine", exception.what());
    return StartStatus::no_memory;
  }
  if (request == nullptr) return StartStatus::not_encoded;
  if (!call.expects_reply) return send_oneway(*out, call, *request);
  call.deadline_ = deadline;
  return send_request(*out, call, *request);
}

// If the watch is deciding about an idle close, waits for its decision.
bool Connection::may_start() noexcept {
  if (!idle_close_.load()) return !closing_.load();
  const std::lock_guard lock(watch_lock_);
  return !closing_.load();
}

// The call is listed while its request is sent: CloseConnection waits, so it cannot be sent first.
StartStatus Connection::send_oneway(Outbound& out, StartedCall& call,
                                    const cdr::Buffer& request) noexcept {
  if (const auto listed = out.calls.depart(call); listed != OutboundCalls::Status::ok)
    return refused(listed);
  const SendResult sent = may_start() ? try_send(call, request) : SendResult{SendStatus::failed};
  (void)out.calls.withdraw(call);
  call_left(out);
  return settle_request(sent.status, StartStatus::sent);
}

SendResult Connection::try_send(const StartedCall& call, const cdr::Buffer& request) noexcept {
  const bool waits =
      call.may_wait_for_turn && may_hold_for_turn() && request.size() <= CorkRule::message_size_max;
  try {
    return waits ? hold_for_turn(request) : io_.try_send(request);
  } catch (const std::exception& exception) {  // no memory: the output has failed
    log::write(log::Level::error, "engine", exception.what());
    return {SendStatus::failed};
  }
}

// Whether a request may wait for the end of the turn: a thread of the loop takes its next turn
// soon. If its upcall takes long, the next tick of the supervisor sends the request. A thread that
// alone serves the loop ends its turn before it waits.
bool Connection::may_hold_for_turn() const noexcept {
  Loop& loop = home_.loop();
  if (loop.single_threaded()) return loop.reactor().is_loop_thread();
  return home_.has_ticks() && loop.on_thread() && !LoopThreads::this_thread_waits();
}

// Requests that the other events of this turn cause are sent together with this one. On a loop of
// one thread, the tasks of the turn follow its events. On other loops, the connection is marked
// ready after the events of this turn, for any of the threads.
SendResult Connection::hold_for_turn(const cdr::Buffer& request) {
  const Hold hold{.count = 0, .octets = CorkRule::octets_max};
  const SendResult held = io_.try_send(request, &hold);
  if (io_.held_output() == 0) return held;
  if (!home_.loop().single_threaded()) {
    home_.reactor().mark_ready(*this, Reactor::Next::turn);
    home_.need_ticks();
  } else if (io_.held_output() == 1) {
    add_reference();
    if (!home_.loop().at_turn_end(outbound_.load()->turn_end)) drop_reference();
  }
  return held;
}

void Outbound::TurnEnd::run(Task& task) noexcept {
  Connection& connection = static_cast<TurnEnd&>(task).connection_;
  connection.uncork();
  connection.drop_reference();
}

StartStatus Connection::settle_request(SendStatus status, StartStatus sent) noexcept {
  after_send();
  if (status < SendStatus::failed) return sent;
  return status == SendStatus::refused ? StartStatus::too_many : StartStatus::closed;
}

// From `settle` on, another thread may have ended the call.
StartStatus Connection::send_request(Outbound& out, StartedCall& call,
                                     const cdr::Buffer& request) noexcept {
  const Deadline deadline = call.deadline_;
  if (const auto listed = out.calls.depart(call); listed != OutboundCalls::Status::ok)
    return refused(listed);
  SendResult sent{SendStatus::failed};
  if (may_start()) {
    if (!agreement_.answered.load(std::memory_order_relaxed)) call.sent_at_ = home_.clock().now();
    resume();  // replies are read although the output is blocked
    if (dedicated_.load()) call_home_loop();
    sent = try_send(call, request);
  }
  if (sent.status >= SendStatus::failed) {
    (void)out.calls.withdraw(call);
    call_left(out);
    return settle_request(sent.status, StartStatus::closed);
  }
  call.position_ = sent.position;
  if (!out.calls.settle(call)) {
    end_without_reply(call, out.failure.load());
    call_left(out);
  } else {
    watch_calls(out, deadline);
    watch_first_reply();
  }
  after_send();
  return StartStatus::started;
}

// A dedicated reader in a two-way upcall reads nothing: a thread of the home loop takes over.
void Connection::call_home_loop() noexcept {
  if (role_.state() != ReadRole::State::lent) return;
  epoch_called_.store(role_.epoch());
  call_for_lent_role();
}

// --- Replies ---

// A malformed datagram may be forged: its call waits for the next reply.
bool Connection::handle_reply(IncomingMessage& message, ThreadFrame& frame) {
  CallEnd end{.message = &message};
  if (message.kind == MessageKind::reply) {
    auto reply = io_.session().parse_reply(message, frame.contexts);
    if (reply) {
      note_reply();
      end.reply = &*reply;
      return answer(reply->header.request_id, end, frame);
    }
  } else if (auto location = io_.session().parse_locate_reply(message)) {
    end.location = &*location;
    return answer(location->header.request_id, end, frame);
  }
  if (!io_.drop_datagram()) reject(frame);
  return true;
}

// A reply that no call waits for is late.
bool Connection::answer(std::uint32_t id, CallEnd& end, ThreadFrame& frame) noexcept {
  Outbound* const out = outbound_.load();
  OutboundCall* const call = out != nullptr ? out->calls.take_settled(id) : nullptr;
  if (call == nullptr) return true;
  if (started(*call).may_block) return answer_lending(started(*call), end, frame);
  started(*call).ended(end);
  call_left(*out);
  return true;
}

// While `ended` runs, other threads may read the connection, as in an upcall that waits.
bool Connection::answer_lending(StartedCall& call, CallEnd& end, ThreadFrame& frame) noexcept {
  if (frame.wait == Wait::yes) leave_dedicated(frame);
  if (home_.loop().single_threaded()) {
    Outbound& out = *outbound_.load();
    frame.lending = ThreadFrame::Lending::possible;
    call.ended(end);
    call_left(out);
    return reclaim_lent(frame);
  }
  return call.mostly_short ? answer_keeping(call, end, frame) : answer_sharing(call, end, frame);
}

bool Connection::answer_sharing(StartedCall& call, CallEnd& end, ThreadFrame& frame) noexcept {
  Outbound& out = *outbound_.load();
  const bool more = frame.more_at_hand || !io_.drained();
  const ReadRole::Lend lent = role_.lend();
  if (more || lent.noted()) home_.reactor().mark_ready(*this);
  home_.need_ticks();
  call.ended(end);
  call_left(out);
  return role_.reclaim(lent);
}

// Keeps other threads from taking the role over at once: the next reply waits for this thread,
// which costs less than a change of threads.
bool Connection::answer_keeping(StartedCall& call, CallEnd& end, ThreadFrame& frame) noexcept {
  Outbound& out = *outbound_.load();
  octets_lent_.store(true, std::memory_order_relaxed);
  keeps_role_.store(true);
  frame.observes = true;
  const ReadRole::Lend lent = role_.lend();
  home_.need_ticks();
  call.ended(end);
  call_left(out);
  frame.observes = false;
  if (!role_.reclaim(lent)) return false;
  keeps_role_.store(false);
  return true;
}

// An observer waits, perhaps for a later reply of this connection, so a thread of the loop reads
// on.
void Connection::call_for_replies() noexcept {
  epoch_called_.store(role_.epoch());
  home_.reactor().mark_ready(*this);
}

// From now on the home loop reads the connection, because the connection carries requests as well
// as replies, or replies whose observers may block. In an upcall or an observer, a dedicated reader
// would read no reply.
void Connection::leave_dedicated(ThreadFrame& frame) noexcept {
  uncork();
  dedicated_.store(false);
  frame.wait = Wait::no;
  if (!enter_poller()) io_.close();
}

// --- Requests that wait while replies are read ---

bool Connection::serves_requests() const noexcept {
  return side_ == messaging::Role::acceptor ||
         agreement_.bidirectional.load(std::memory_order_relaxed);
}

bool Connection::keep_or_refuse(IncomingMessage& message, ThreadFrame& frame) {
  Outbound& out = *outbound_.load();
  const bool from_kept = std::exchange(out.from_kept, false);
  const bool waits = (waiting_ && !from_kept) || requests_.full() || io_.blocked_output();
  if (!serves_requests()) {
    reject(frame);
    return true;
  }
  if (!waits || is_read_to_end()) return false;
  if (from_kept && waiting_)
    out.kept.push_front(
        {std::move(*std::exchange(waiting_, std::nullopt)), std::move(out.waiting_share)});
  if (!waiting_)
    keep(message);
  else if (out.kept.size() >= home_.settings().requests_per_connection_max)
    refuse(message, frame, Refusal::too_many);
  else if (!keep_behind_waiting(message))
    refuse(message, frame, Refusal::no_room_to_wait);
  return true;
}

bool Connection::keep_behind_waiting(IncomingMessage& message) {
  ParkedShare share(home_.context().parked, message.size());
  if (!share) return false;
  message.keep();
  if (!message.arrived) message.arrived = home_.clock().now();
  outbound_.load()->kept.push_back({std::move(message), std::move(share)});
  return true;
}

// Frees the kept requests at the end of the connection: its last reference may be dropped much
// later.
void Connection::drop_kept() noexcept {
  Outbound* const out = outbound_.load();
  if (out == nullptr) return;
  out->kept.clear();
  out->waiting_share.reset();
}

void Connection::refuse(IncomingMessage& message, ThreadFrame& frame, Refusal refusal) {
  auto parsed = io_.session().parse_request(message, frame.contexts);
  if (!parsed) return reject(frame);
  IncomingRequest request(*this, message, *parsed, frame);
  home_.handler().refuse(request, refusal);
}

// Takes the waiting request. If there is still no room for it, and this side has calls, reads on
// instead, because replies must be read. `paused_` is set before the second call of `must_pause`,
// so a thread that makes room later marks the connection ready. A dedicated reader would not see
// that while it waits for the peer, so the home loop reads on.
ReadStatus Connection::next_kept(IncomingMessage& message, ThreadFrame& frame) {
  Outbound* const out = outbound_.load();
  if (out != nullptr && must_pause()) {
    paused_.store(true);
    if (must_pause()) {
      if (frame.wait == Wait::yes) leave_dedicated(frame);
      return io_.read(message, Wait::no, frame.scratch);
    }
  }
  message = std::move(*waiting_);
  waiting_.reset();
  if (out == nullptr) return ReadStatus::message;
  out->from_kept = true;
  out->waiting_share.reset();
  if (out->kept.empty()) return ReadStatus::message;
  waiting_ = std::move(out->kept.front().message);
  out->waiting_share = std::move(out->kept.front().share);
  out->kept.pop_front();
  return ReadStatus::message;
}

}  // namespace perigee::engine
