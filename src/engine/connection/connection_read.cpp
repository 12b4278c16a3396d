// Reading a connection: turns, messages, and the end of the input.
#include "engine/connection/connection.h"
#include <perigee/base/log.h>
#include <perigee/base/probe.h>

#include <exception>
#include <utility>

namespace perigee::engine {

using messaging::IncomingMessage;
using messaging::MessageKind;
using transport::Wait;

namespace {
constexpr int drops_per_turn_max = 16;  // receives of octets that are dropped
// The number of upcalls on the loop after which a dedicated reader may read the connection again.
constexpr std::uint32_t upcalls_alone_max = 1000;

// The level is not `warning`, because clients could fill the log.
void log_refusal(const transport::Transport& opening, const IoResult& result) {
  if (result.status == IoStatus::failed)
    log::write(log::Level::info, "server", transport::opening_error(opening, result).endpoint);
}
}  // namespace

void Connection::handle_event(const Event& event) noexcept {
  const Readiness readiness = event.readiness;
  if (io_.held_output() != 0) [[unlikely]]
    uncork();
  // A transport in shared memory reports by a readable handle that it takes octets again.
  if (has(readiness, Readiness::writable) || io_.yielded_output() || io_.blocked_output())
      [[unlikely]] {
    try {
      (void)io_.flush();
      after_send();
    } catch (const std::exception& exception) {  // the output has failed
      log::write(log::Level::error, "server", exception.what());
      cut();
    }
  }
  if (has(readiness, Readiness::peer_closed) || has(readiness, Readiness::error)) [[unlikely]]
    peer_ended_.store(true);
  else if (!has(readiness, Readiness::readable) && state_.load() != State::opening) [[unlikely]]
    return;
  if (!role_.take_or_note() && !take_over()) return;
  const FrameLevel level(home_.settings().read_buffer_size);
  if (level) return read_turn(*level);
  io_.close();  // no memory: the connection ends at the next event, which the mark below causes
  while (role_.release() == ReadRole::Release::again) {
  }
  home_.reactor().mark_ready(*this);
}

// The thread of an event that comes during an upcall takes the role over. A dedicated reader, and a
// thread in an observer, keep the role until the loop was called for this upcall.
bool Connection::take_over() noexcept {
  const bool is_kept = dedicated_.load() || keeps_role_.load();
  if (is_kept && role_.epoch() != epoch_called_.load()) return false;
  if (!role_.try_take_lent()) return false;
  keeps_role_.store(false);
  try {
    io_.detach_scratch();
  } catch (const std::exception& exception) {  // no memory: the connection ends
    log::write(log::Level::error, "server", exception.what());
    io_.discard_input();  // the lender's scratch memory serves other connections after this
    io_.close();
  }
  role_.end_detaching();
  if (dedicated_.load()) [[unlikely]] {  // its reader ends when it finds the role taken over
    dedicated_.store(false);
    if (!enter_poller()) io_.close();
  }
  upcalls_alone_ = 0;
  return true;
}

void Connection::read_turn(ThreadFrame& frame) noexcept {
  frame.connection = this;
  if (home_.loop().single_threaded()) cork_rule_.begin_turn();
  for (int round = 0;; ++round) {
    io_.expect_octets();
    if (peer_ended_.load(std::memory_order_relaxed)) [[unlikely]]
      io_.expect_end();
    const Turn turn = read_messages(frame);
    if (turn == Turn::lost) return;
    if (turn == Turn::over) {
      if (upcalls_alone_ >= upcalls_alone_max && return_to_dedicated()) [[unlikely]]
        return;
      if (role_.release() == ReadRole::Release::released) return;
      if (round == 0) continue;
    }
    while (role_.release() == ReadRole::Release::again) {
    }
    return home_.reactor().mark_ready(*this, Reactor::Next::turn);
  }
}

// Held replies are sent, and the octets at hand are detached, before the role is released.
Connection::Turn Connection::read_messages(ThreadFrame& frame) try {
  const Turn turn = take_messages(frame);
  if (turn == Turn::lost) return turn;
  uncork();
  if (state_.load(std::memory_order_relaxed) == State::open && io_.has_octets())
    io_.detach_scratch();
  return turn;
} catch (const std::exception& exception) {  // no memory: the connection ends
  log::write(log::Level::error, "server", exception.what());
  io_.discard_input();  // the scratch memory serves other connections after this
  io_.close();
  return end_of_input();
}

// `paused_` is set before the second call of `must_pause`: a thread that makes room, or begins a
// call, after that sees the flag. Replies are always read: if neither side read them, both would
// wait for ever.
[[gnu::always_inline]] inline bool Connection::pauses() noexcept {
  return must_pause() && begin_pause();
}

bool Connection::begin_pause() noexcept {
  paused_.store(true);
  if (peer_ended_.load()) stop_deferred_of_gone();  // the end may not be read for a while
  if (must_pause()) return !awaits_replies();
  paused_.store(false);
  return false;
}

// True: no octet was received after the last message, and the poller reports new octets.
[[gnu::always_inline]] inline bool Connection::all_taken() const noexcept {
  return io_.drained() && !io_.has_octets() && !waiting_ &&
         state_.load(std::memory_order_relaxed) == State::open;
}

[[gnu::always_inline]] inline ReadStatus Connection::next_message(IncomingMessage& message,
                                                                  ThreadFrame& frame) {
  if (waiting_) [[unlikely]]
    return next_kept(message, frame);
  if (frame.wait == Wait::yes) return next_of_batch(message, frame);
  return io_.read(message, frame.wait, frame.scratch);
}

// Called by a dedicated reader. Held replies leave before the reader waits for the client.
[[gnu::always_inline]] inline ReadStatus Connection::next_of_batch(IncomingMessage& message,
                                                                   ThreadFrame& frame) {
  if (io_.held_output() != 0) [[unlikely]] {
    if (io_.take_at_hand(message)) return ReadStatus::message;
    uncork();
  }
  cork_rule_.begin_turn();
  return io_.read(message, Wait::yes, frame.scratch);
}

Connection::Turn Connection::take_messages(ThreadFrame& frame) {
  io_.begin_turn(home_.settings().octets_per_turn_max);
  for (std::uint32_t left = home_.settings().messages_per_turn_max; left > 0; --left) {
    if (state_.load(std::memory_order_relaxed) != State::open) [[unlikely]]
      if (const auto turn = read_without_messages(frame)) return *turn;
    if (pauses()) [[unlikely]]
      return Turn::over;
    IncomingMessage message;
    switch (next_message(message, frame)) {
      case ReadStatus::message:
        if (!handle(message, frame)) return Turn::lost;
        if (all_taken()) [[likely]]
          return Turn::over;
        break;
      case ReadStatus::would_block:
      case ReadStatus::timed_out:
        return Turn::over;
      case ReadStatus::turn_over:
        return Turn::more;
      case ReadStatus::bad_message:
        reject_unreadable(frame);
        break;
      case ReadStatus::end_of_stream:
      case ReadStatus::failed:
        return end_of_input();
    }
  }
  return Turn::more;
}

std::optional<Connection::Turn> Connection::read_without_messages(ThreadFrame& frame) {
  return state_.load() == State::opening ? open_transport(frame) : drop_input(frame);
}

// Goes on with the handshake of the transport. The watch limits its time. When it has ended, octets
// of the first message may be at hand already.
std::optional<Connection::Turn> Connection::open_transport(ThreadFrame& frame) {
  const IoResult result = io_.transport().open(frame.wait);
  const bool waits = result.status == IoStatus::would_block;
  if (frame.wait == Wait::no) {
    const std::lock_guard lock(output_lock_);
    const auto wants =
        waits ? io_.transport().wants(transport::Step::open) : transport::Wants::to_read;
    if (!removed_) want_writable(wants == transport::Wants::to_write);
  }
  if (waits) return Turn::over;
  if (!result.ok()) {
    log_refusal(io_.transport(), result);
    io_.close();
    return end_of_input();
  }
  release_opening();
  {
    const std::lock_guard lock(watch_lock_);
    end_.forget();
  }
  State expected = State::opening;
  if (!state_.compare_exchange_strong(expected, State::open)) return Turn::over;
  look();
  return std::nullopt;
}

// Drops a limited number of octets per turn: a client that never stops sending must not hold up
// other connections and the timer that ends this one. A connection that was cut is closed with its
// unread octets: TCP then resets it. Without the reset, a client whose receive window is zero would
// stay blocked for minutes.
Connection::Turn Connection::drop_input(ThreadFrame& frame) noexcept {
  if (state_.load() == State::closed) return Turn::lost;
  for (int left = drops_per_turn_max; left > 0; --left) {
    if (io_.broken()) return end_of_input();
    const IoResult result = io_.drop_octets(frame.scratch, frame.wait);
    if (result.ok()) continue;
    return result.status == IoStatus::would_block ? Turn::over : end_of_input();
  }
  return Turn::more;
}

// The end of a connection over datagrams is a decision of this side, for example to make room for
// another client. The client has not gone: it may wait for its replies.
void Connection::stop_deferred_of_gone() noexcept {
  if (!io_.has_datagrams()) requests_.stop_deferred();
}

// The client sends no more. Requests in progress are still answered: the last of them marks the
// connection ready, and this function runs again. Queued replies can still be sent.
Connection::Turn Connection::end_of_input() noexcept {
  uncork();
  if (!input_ended_.exchange(true)) stop_deferred_of_gone();
  fail_calls(CallFailure::transfer);
  if (requests_.busy()) return Turn::over;
  if (io_.idle_output() || io_.broken()) {
    close();
    return Turn::lost;
  }
  begin_finishing();
  return Turn::over;
}

bool Connection::handle(IncomingMessage& message, ThreadFrame& frame) {
  frame.more_at_hand = io_.has_octets();
  switch (message.kind) {
    [[likely]] case MessageKind::request:
      if (outbound_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] {
        if (frame.wait == Wait::yes) leave_dedicated(frame);
        if (keep_or_refuse(message, frame)) return true;
      } else if (must_wait()) [[unlikely]] {
        keep(message);
        return true;
      }
      return handle_request(message, frame);
    case MessageKind::locate_request:
      if (!serves_requests()) break;
      if (recent_requests_ && !may_reply()) return true;
      home_.need_ticks();
      if (!requests_.drained() && !home_.handler().locate(*this, message, frame)) reject(frame);
      return true;
    case MessageKind::cancel_request:
      handle_cancel(message, frame);
      return true;
    case MessageKind::close_connection:
    case MessageKind::message_error:
      uncork();
      fail_calls(message.kind == MessageKind::close_connection ? CallFailure::closed_by_peer
                                                               : CallFailure::message_error);
      begin_finishing();
      return true;
    case MessageKind::reply:
    case MessageKind::locate_reply:
      if (outbound_.load() == nullptr) break;  // this side has sent no request on it
      return handle_reply(message, frame);
  }
  reject(frame);
  return true;
}

// Back-pressure: further requests, and all messages behind them, are read when there is room.
void Connection::keep(IncomingMessage& message) {
  message.keep();
  if (!message.arrived) message.arrived = home_.clock().now();
  waiting_.emplace(std::move(message));
  if (requests_.full() && requests_.order() == RequestOrder::none) home_.handler().tell_full(*this);
}

[[gnu::always_inline]] inline void Connection::upcall(IncomingRequest& request) noexcept {
  request.frame.resumptions_seen = home_.parked().resumptions();
  before_upcall(request.frame);
  home_.handler().handle(request);
  if (!request.deferred()) left(requests_.leave(request));
}

// The role is lent only if the upcall waits. Only then can later requests overtake this one, which
// may be a oneway.
[[gnu::always_inline]] inline bool Connection::dispatch_alone(IncomingRequest& request) {
  ThreadFrame& frame = request.frame;
  frame.lending = ThreadFrame::Lending::possible;
  upcall(request);
  return reclaim_lent(frame);
}

// Oneways run under the role, so that they keep their order. Other threads may read during a
// two-way upcall: if octets are left to read, the connection is marked ready before the upcall.
[[gnu::always_inline]] inline bool Connection::dispatch(IncomingRequest& request) {
  ThreadFrame& frame = request.frame;
  if (requests_.parks() && keep_behind_others(request) == Kept::yes) [[unlikely]] {
    left(requests_.leave(request));
    return true;
  }
  if (frame.wait == Wait::yes) return dispatch_dedicated(request);
  if (frame.parked_number != 0) [[unlikely]] {
    const bool is_oneway = request.response() == messaging::ResponseFlags::none;
    if (!is_oneway || home_.loop().single_threaded()) home_.lend_parked(frame);
    home_.need_ticks();
    upcall(request);
    return true;
  }
  if (home_.loop().single_threaded()) return dispatch_alone(request);
  if (request.response() == messaging::ResponseFlags::none) {
    home_.need_ticks();
    return dispatch_alone(request);
  }
  const bool more = frame.more_at_hand || !io_.drained();
  const ReadRole::Lend lent = role_.lend();
  if (more || lent.noted()) home_.reactor().mark_ready(*this);
  home_.need_ticks();
  upcall(request);
  if (!role_.reclaim(lent)) return false;
  if (may_be_dedicated_) upcalls_alone_ = request.deferred() ? 0 : upcalls_alone_ + 1;
  return true;
}

// Requests that come during the upcall wait. If the upcall takes long, the supervisor calls the
// home loop, which then reads them.
[[gnu::always_inline]] inline bool Connection::dispatch_dedicated(IncomingRequest& request) {
  ThreadFrame& frame = request.frame;
  if (request.response() == messaging::ResponseFlags::none) return dispatch_alone(request);
  if (registered_.load(std::memory_order_relaxed)) [[unlikely]]
    leave_poller();
  const bool more = frame.more_at_hand || (transport_buffers_ && io_.transport().buffered());
  if (more != octets_lent_.load(std::memory_order_relaxed)) [[unlikely]]
    octets_lent_.store(more, std::memory_order_relaxed);
  const ReadRole::Lend lent = role_.lend();
  if (outbound_.load() != nullptr) [[unlikely]]  // a call of this side has begun meanwhile
    call_home_loop();
  home_.need_ticks();
  upcall(request);
  if (!role_.reclaim(lent)) [[unlikely]] {
    uncork();
    return false;
  }
  if (registered_.load(std::memory_order_relaxed)) [[unlikely]]
    leave_poller();
  frame.deferrals <<= 1;
  if (!request.deferred() || !note_deferral(frame)) [[likely]]
    return true;
  if (io_.has_octets()) io_.detach_scratch();
  hand_over();
  return false;
}

[[gnu::always_inline]] inline bool Connection::handle_request(IncomingMessage& message,
                                                              ThreadFrame& frame) {
  auto parsed = io_.session().parse_request(message, frame.contexts);
  if (!parsed) [[unlikely]] {
    reject_request(parsed.error(), frame);
    return true;
  }
  if (recent_requests_ && frame.parked_number == 0 && !takes_datagram(parsed->header)) [[unlikely]]
    return true;
  probe::stamp(probe::Point::request_parsed);
  if (!parsed->header.contexts.empty() && !message.arrived) [[unlikely]]
    message.arrived = home_.clock().now();  // a time limit among the contexts counts from here
  IncomingRequest request(*this, message, *parsed, frame);
  const auto origin = frame.parked_number != 0 ? InboundRequests::Origin::parked
                                               : InboundRequests::Origin::transport;
  switch (requests_.admit(request, origin)) {
    [[likely]] case Admission::admitted:
      return dispatch(request);
    case Admission::draining:
      break;  // CloseConnection says that it was not executed
    case Admission::too_many:
      home_.handler().refuse(request, Refusal::too_many);
      break;
    case Admission::too_many_in_all:
      home_.handler().refuse(request, Refusal::too_many_in_all);
      break;
  }
  return true;
}

}  // namespace perigee::engine
