// Sending, draining and ending a connection.
#include "engine/connection/connection.h"

#include "engine/connection/traffic.h"
#include "engine/memory/unfinished.h"
#include <perigee/base/log.h>
#include <perigee/cdr/encoder.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

namespace perigee::engine {

using transport::Wait;

// `send_timeout` limits blocking sends of a dedicated reader. The watch limits sends of the home
// loop.
Connection::Connection(Home& home, Accepted accepted, Reading reading, messaging::Role side)
    : Pollable(Counted::yes),
      home_(home),
      side_(side),
      io_(std::move(accepted.transport), *accepted.messaging, side,
          {.read_buffer_size = home.settings().read_buffer_size,
           .write_queue_size_max = home.settings().write_queue_size_max,
           .busy_poll = home.settings().busy_poll,
           .send_timeout = reading == Reading::dedicated ? home.settings().send_timeout
                                                         : std::chrono::milliseconds::zero(),
           .clock = &home.clock()},
          &home.traffic()),
      requests_(home.settings().requests_per_connection_max, home.requests_share(),
                home.settings().request_order),
      state_(side == messaging::Role::acceptor && io_.transport().features().opens ? State::opening
                                                                                   : State::open),
      may_be_dedicated_(reading == Reading::dedicated),
      transport_buffers_(io_.transport().features().buffers) {
  if (io_.has_datagrams())
    recent_requests_ =
        accepted.requests ? std::move(accepted.requests) : std::make_shared<RecentRequests>();
  if (side == messaging::Role::opener && outbound() == nullptr) throw std::bad_alloc();
  io_.set_paused_reader(*this);
  home.handler().begin(*this);
}

Connection::~Connection() { delete outbound_.load(); }

// Enters the registry before the poller: the first event may end the connection.
bool Connection::start() noexcept {
  const bool has_memory = charge_opening();  // before other threads can see the connection
  home_.add(*this);
  if (has_memory && enter_poller()) {
    look();
    // A transport that opens may have to send first.
    if (state_.load() == State::opening) home_.reactor().mark_ready(*this);
    return true;
  }
  if (role_.try_take()) close();
  return false;
}

bool Connection::charge_opening() noexcept {
  const UnfinishedMessages* const registry = home_.traffic().unfinished;
  if (state_.load() != State::opening || registry == nullptr) return true;
  const std::uint64_t size = io_.transport().features().opening_size;
  if (!registry->budget().try_charge(Use::opening, size)) {
    log_client(log::Level::info,
               " is refused: the handshakes of other clients take all memory that they may have "
               "(-ORBOpeningSizeMax)");
    return false;
  }
  opening_charge_ = size;
  return true;
}

// The caller holds the read role.
void Connection::release_opening() noexcept {
  if (opening_charge_ != 0)
    home_.traffic().unfinished->budget().release(Use::opening, std::exchange(opening_charge_, 0));
}

// The caller holds the read role, which is never released any more.
void Connection::close() noexcept {
  if (state_.exchange(State::closed) == State::closed) return;
  release_opening();
  home_.handler().end(*this);
  io_.forget_paused_reader();
  {
    const std::lock_guard lock(output_lock_);
    removed_ = true;
  }
  home_.reactor().remove(*this);
  io_.close();
  requests_.stop_deferred();
  if (requests_.parks()) home_.parked().drop(*this);
  drop_kept();
  bool cancelled = false;
  {
    const std::lock_guard lock(watch_lock_);
    watch_ended_ = true;
    cancelled = home_.loop().timers().cancel(watch_);
  }
  if (cancelled) drop_reference();
  end_expiry();
  fail_calls(CallFailure::shut_down);
  home_.remove(*this);
}

void Connection::cut() noexcept {
  io_.close();
  home_.reactor().mark_ready(*this);
}

void Connection::shut_down() noexcept {
  note_failure(CallFailure::shut_down);
  io_.close();
  if (role_.take_or_note()) return close();  // else the reading thread reads on, and finds the end
  home_.reactor().mark_ready(*this);
}

// `look` starts the watch, which limits the drain. Without a limit, a dedicated reader could wait
// for its client in a send for ever. A call of this side could wait for its reply for ever. A
// request in progress could wait for input that is dropped.
void Connection::drain() noexcept {
  draining_.store(true);
  if (home_.handler().cancels()) requests_.stop_deferred();
  if (requests_.begin_drain()) return send_close();
  if (may_be_dedicated_ || has_calls() || state_.load() == State::refusing) look();
}

void Connection::before_nested_turns(ThreadFrame& frame) noexcept {
  if (frame.lending == ThreadFrame::Lending::possible) {
    frame.lent_role = role_.lend();
    frame.lending = ThreadFrame::Lending::lent;
  }
  uncork();
  if (state_.load() == State::closed || (!io_.has_octets() && io_.drained())) return;
  home_.reactor().mark_ready(*this);  // no event reports octets that have come already
}

// Sends the held replies before an upcall that may take long.
void Connection::uncork_late(const ThreadFrame& frame) noexcept {
  if (holds_replies(frame) && cork_rule_.must_uncork(home_.clock().now())) uncork();
}

// Replies are held only if one thread handles the whole batch of requests, and so knows its end.
// This is so on a loop with one thread, and on a dedicated reader.
bool Connection::holds_replies(const ThreadFrame& frame) const noexcept {
  return home_.loop().single_threaded() || frame.wait == Wait::yes;
}

void Connection::send(const cdr::Buffer& message, ThreadFrame& frame) noexcept {
  if (!joins_batch(frame) || message.size() > CorkRule::message_size_max) [[likely]]
    return send_now(message, frame.wait);
  if (state_.load(std::memory_order_relaxed) == State::closed) return;
  try {
    (void)io_.hold(message, {.count = 0, .octets = CorkRule::octets_max}, frame.wait);
  } catch (const std::exception& exception) {  // no memory: the output has failed
    log::write(log::Level::error, "server", exception.what());
  }
  if (io_.held_output() == 0) return after_send();
  if (frame.wait == Wait::yes) home_.need_ticks();  // sends held replies during a long upcall
}

// A deferred reply that is sent in an upcall of this connection joins the batch of that upcall. The
// order of replies does not matter.
void Connection::send_deferred(const cdr::Buffer& message) noexcept {
  ThreadFrame* const frame = home_.loop().on_thread() ? FrameLevel::innermost() : nullptr;
  if (frame != nullptr && frame->connection == this) return send(message, *frame);
  send_now(message);
}

void Connection::uncork() noexcept {
  if (io_.held_output() == 0) [[likely]]
    return;
  (void)io_.uncork();
  after_send();
}

void Connection::send_now(const cdr::Buffer& message, Wait wait) noexcept {
  if (state_.load(std::memory_order_relaxed) == State::closed) [[unlikely]]
    return;
  try {
    (void)io_.send(message, wait);
  } catch (const std::exception& exception) {  // no memory: the output has failed
    log::write(log::Level::error, "server", exception.what());
  }
  after_send();
}

void Connection::settle_output() noexcept {
  if (io_.broken()) return cut();
  if (io_.blocked_output() || output_armed_.load(std::memory_order_relaxed))
    update_interest();
  else
    resume();  // reading may have paused although no thread has armed the output
  if (io_.yielded_output()) home_.reactor().mark_ready(*this);
  if (state_.load(std::memory_order_relaxed) != State::open) check_output_end();
}

// Each thread reads the state of the output under the lock. So the interest that the last thread
// sets in the poller fits the state. The home loop also sends the output of a connection with a
// dedicated reader.
void Connection::update_interest() noexcept {
  bool blocked = false;
  {
    const std::lock_guard lock(output_lock_);
    if (removed_) return;
    blocked = io_.blocked_output();
    if (blocked && !register_locked()) return io_.close();
    want_writable(blocked);
  }
  if (blocked) return look();
  end_output_pace();
  resume();
  home_.handler().output_free(*this);
}

// Expects output_lock_ to be held.
void Connection::want_writable(bool wanted) noexcept {
  if (wanted == output_armed_.load(std::memory_order_relaxed)) return;
  home_.reactor().want_writable(*this, wanted ? WriteInterest::on : WriteInterest::off);
  output_armed_.store(wanted);
}

void Connection::resume() noexcept {
  if (paused_.load() && paused_.exchange(false)) home_.reactor().mark_ready(*this);
}

// `begin_pause` tests `requests_held_` again after it has set `paused_`. So `requests_held_` is
// cleared before `resume` tests `paused_`.
void Connection::admit_requests() noexcept {
  requests_held_.store(false);
  resume();
}

void Connection::go_on_after(InboundRequests::Left left) noexcept {
  if (left.last) send_close();
  if (left.has_room) resume();
  if (input_ended_.load(std::memory_order_relaxed)) home_.reactor().mark_ready(*this);
}

// Called by the thread that found that no request is in progress, so no other thread sends a reply.
// Held replies leave before CloseConnection. Datagrams have no CloseConnection.
void Connection::send_close() noexcept {
  closing_.store(true);
  if (calls_over()) return send_close_now();
  if (draining_.load()) look();
}

// A side that cannot have requests of the peer says nothing: it only closes. A transport that is
// not open yet carries no message.
void Connection::send_close_now() noexcept {
  State opening = State::opening;
  if (state_.compare_exchange_strong(opening, State::finishing)) return cut();
  if (io_.has_datagrams() || !serves_requests()) return begin_finishing();
  try {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    io_.session().encode_close_connection(encoder, io_.session().protocol().version_max());
    send_now(buffer);
  } catch (const std::exception& exception) {  // no memory: no CloseConnection is sent
    log::write(log::Level::error, "server", exception.what());
  }
  begin_finishing();
}

void Connection::begin_finishing() noexcept {
  for (State before = state_.load();;) {
    if (before != State::open && before != State::refusing) return;
    if (state_.compare_exchange_weak(before, State::finishing)) break;
  }
  {
    const std::lock_guard lock(watch_lock_);
    end_.forget();  // the time that the client has to take the rest, and to close, begins now
    idle_.forget();
  }
  io_.finish_output();
  after_send();
  look();
  home_.reactor().mark_ready(*this);  // input is dropped from now on
}

void Connection::check_output_end() noexcept {
  if (state_.load() != State::finishing || !io_.output_ended()) return;
  State expected = State::finishing;
  if (!state_.compare_exchange_strong(expected, State::lingering)) return;
  if (io_.has_datagrams()) return cut();  // the client sends no end that could be awaited
  if (input_ended_.load()) home_.reactor().mark_ready(*this);
}

bool Connection::park(IncomingRequest& request, const void* hold_point) noexcept {
  const HoldQueue::Place place{*this, hold_point, request.frame.parked_number};
  switch (home_.parked().keep(place, request.message, request.frame.resumptions_seen)) {
    case HoldQueue::Kept::due:
      home_.dispatch_parked();
      return true;
    case HoldQueue::Kept::yes:
      return true;
    case HoldQueue::Kept::refused:
    case HoldQueue::Kept::not_needed:
      break;
  }
  return false;
}

bool Connection::begin_parked(std::size_t octets) noexcept {
  if (!home_.context().parked.begin(octets)) return false;
  requests_.begin_parked();
  return true;
}

void Connection::end_parked(std::size_t octets) noexcept {
  home_.context().parked.end(octets);
  if (requests_.end_parked()) resume();
}

void Connection::check_invariants() const noexcept { requests_.check_invariants(); }

}  // namespace perigee::engine
