// Edge-triggered reading with one recv per batch, and coalesced writing.
#include "orb/server/reactive_connection.h"

#include "orb/core/orb_core.h"
#include "orb/server/reactive_loop.h"
#include "orb/server/server_connection.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace perigee::orb {

using event::Readiness;
using messaging::IncomingMessage;
using transport::Wait;

namespace {

constexpr std::size_t batched_message_size_max = 8 * 1024;  // larger ones are not worth the copy
constexpr std::size_t batch_size_max = 64 * 1024;
constexpr std::chrono::microseconds long_upcall{100};  // a reply is not to wait for such another
constexpr std::uint32_t unjoined_upcalls_max = 64;     // after one
constexpr int drops_per_turn_max = 16;                 // receives of what is read and dropped

}  // namespace

ReactiveConnection::ReactiveConnection(ReactiveLoop& loop, Accepted accepted)
    : loop_(loop),
      connection_(make_server_connection(loop.core(), std::move(accepted))),
      conversation_(loop.core(), connection_.session(), *this) {}

ReactiveConnection::~ReactiveConnection() = default;

bool ReactiveConnection::start() {
  const auto added = loop_.reactor().add(connection_.transport().readiness_fd(), *this);
  if (!added) log::write(log::Level::warning, "server", to_string(added.error()));
  return added.has_value();
}

void ReactiveConnection::handle_ready(Readiness readiness) noexcept {
  const auto self = shared_from_this();  // the list may let go of it below
  if (state_ == State::closed) return;
  try {
    if (has(readiness, Readiness::peer_closed) || has(readiness, Readiness::error)) {
      peer_ended_ = true;
      connection_.expect_end();
    }
    if (has(readiness, Readiness::readable)) connection_.expect_octets();
    if (has(readiness, Readiness::writable)) {
      (void)connection_.flush();
      update_output();
    }
    if (has(readiness, Readiness::readable) || has(readiness, Readiness::peer_closed) ||
        has(readiness, Readiness::error) || may_resume())
      read_batch();
  } catch (const std::exception& exception) {  // bad_alloc: this connection ends, others go on
    log::write(log::Level::error, "server", exception.what());
    close();
  }
}

void ReactiveConnection::read_batch() {
  upcall_began_ = {};
  const ReactiveLoop::Level level(loop_, *this);
  const bool more = read_messages(level.buffers());
  if (state_ == State::closed) return;
  flush_batch();
  if (connection_.has_octets()) connection_.detach_scratch();
  if (more && state_ != State::closed) loop_.reactor().mark_ready(*this);
}

// Whether there may be more to read: others have their turn first.
bool ReactiveConnection::read_messages(ServingThread& buffers) {
  const Settings& settings = loop_.core().settings();
  connection_.begin_turn(settings.octets_per_turn_max);
  for (std::uint32_t left = settings.messages_per_turn_max; left > 0; --left) {
    if (state_ == State::ending) return drop_input(buffers.scratch);
    if (state_ == State::closed) return false;
    if (must_pause()) {
      paused_ = true;
      if (peer_ended_) conversation_.cancel_deferred();  // the end will not be read for a while
      return false;
    }
    IncomingMessage message;
    switch (next_message(message, buffers.scratch)) {
      case ReadStatus::message:
        take_or_keep(message, buffers);
        break;
      case ReadStatus::would_block:
      case ReadStatus::timed_out:
        return false;
      case ReadStatus::turn_over:
        return true;
      case ReadStatus::bad_message:
        (void)conversation_.reject(buffers);
        end_gently();
        break;
      case ReadStatus::end_of_stream:
      case ReadStatus::failed:
        end_of_input();
        return false;
    }
  }
  return true;
}

ReadStatus ReactiveConnection::next_message(IncomingMessage& message, MutableOctetSpan scratch) {
  if (!waiting_) [[likely]]
    return connection_.read(message, Wait::no, scratch);
  message = std::move(*waiting_);
  waiting_.reset();
  return ReadStatus::message;
}

// A connection that is broken is read to its end.
bool ReactiveConnection::must_pause() const noexcept {
  const bool waits = waiting_ && conversation_.full();
  return (connection_.blocked_output() || waits) && !connection_.broken();
}

// Whether reading stopped for a peer that did not read its replies, or had to wait for some, and
// may go on.
bool ReactiveConnection::may_resume() noexcept {
  if (!paused_ || must_pause()) return false;
  paused_ = false;
  return true;
}

void ReactiveConnection::take_or_keep(IncomingMessage& message, ServingThread& buffers) {
  if (conversation_.has_room_for(message) || connection_.broken()) return take(message, buffers);
  message.keep();
  waiting_.emplace(std::move(message));
}

void ReactiveConnection::take(IncomingMessage& message, ServingThread& buffers) {
  if (conversation_.handle(message, buffers) == Conversation::Verdict::close) end_gently();
}

void ReactiveConnection::handle_held(IncomingMessage& message, std::uint64_t number) noexcept {
  const auto self = shared_from_this();
  if (state_ != State::serving) return;
  try {
    const ReactiveLoop::Level level(loop_, *this);
    level.buffers().held_as = number;
    take(message, level.buffers());
    flush_batch();
    if (input_ended_ && state_ != State::closed) end_of_input();
  } catch (const std::exception& exception) {  // bad_alloc: this connection ends, others go on
    log::write(log::Level::error, "server", exception.what());
    close();
  }
}

// Whether there may be more to drop: a peer that never stops sending must not keep the loop from
// others, nor from the timer that ends it.
bool ReactiveConnection::drop_input(MutableOctetSpan scratch) {
  for (int left = drops_per_turn_max; left > 0; --left) {
    const IoResult result = connection_.transport().receive(scratch, Wait::no);
    if (result.ok()) continue;
    if (result.status != IoStatus::would_block) end_of_input();
    return false;
  }
  return true;
}

// The peer has closed. What it has not read of our answers may still get out; an upcall further
// down on the stack is still answered, and comes back here.
void ReactiveConnection::end_of_input() {
  flush_batch();
  if (!std::exchange(input_ended_, true)) {
    hears_of_deferred_.store(true);  // before looking whether there are some
    conversation_.cancel_deferred();
  }
  if (conversation_.busy()) return;
  if (connection_.idle_output() || connection_.broken()) return close();
  if (state_ == State::serving) end_gently();
}

// Closing with unread octets would reset the connection, and destroy what we sent.
void ReactiveConnection::end_gently() {
  flush_batch();
  if (state_ != State::serving) return;
  state_ = State::ending;
  end_output();
}

void ReactiveConnection::drain() { conversation_.drain(); }

void ReactiveConnection::watch_idle(TimePoint now) noexcept {
  if (state_ != State::serving) return;
  const auto limit = loop_.core().settings().idle_timeout;
  if (!idle_.is_over(connection_.octets_passed(), now, limit)) return;
  const auto self = shared_from_this();
  try {
    if (conversation_.drain_if_idle()) end_gently();
  } catch (const std::exception& exception) {  // bad_alloc: it ends at once
    log::write(log::Level::error, "server", exception.what());
    close();
  }
}

void ReactiveConnection::close() noexcept {
  if (state_ == State::closed) return;
  const auto self = shared_from_this();
  state_ = State::closed;
  loop_.reactor().remove(*this);
  connection_.close();
  conversation_.cancel_deferred();
  if (conversation_.holds()) loop_.held().drop(conversation_);
  loop_.forget(*this);
}

void ReactiveConnection::prepare_nesting() {
  flush_batch();
  if (state_ == State::closed || (!connection_.has_octets() && connection_.drained())) return;
  connection_.detach_scratch();
  loop_.reactor().mark_ready(*this);  // no edge will come for what has come already
}

// The clock is read only where requests came together.
void ReactiveConnection::before_upcall(messaging::ResponseFlags /*response*/,
                                       ServingThread& /*thread*/) {
  if (connection_.held_output() == 0 && !connection_.has_octets()) return;
  const TimePoint now = loop_.core().clock().now();
  const TimePoint before = std::exchange(upcall_began_, now);
  if (before != TimePoint() && now - before > long_upcall)
    unjoined_upcalls_ = unjoined_upcalls_max;
  else if (unjoined_upcalls_ > 0)
    --unjoined_upcalls_;
  if (unjoined_upcalls_ > 0) flush_batch();
}

// Replies to requests that came together are held back, to leave together.
void ReactiveConnection::send(const cdr::Buffer& message) {
  const bool alone = !connection_.has_octets() && connection_.held_output() == 0;
  if (alone || message.size() > batched_message_size_max) return send_now(message);
  if (state_ == State::closed) return;
  (void)connection_.hold(message, {.count = 0, .octets = batch_size_max}, Wait::no);
  if (connection_.held_output() == 0) after_send();
}

// Behind the replies that wait in the batch.
void ReactiveConnection::send_without_waiting(const cdr::Buffer& message) {
  flush_batch();
  send_now(message);
}

// What another thread sends does not wait for the end of a batch: its order among the answers is
// nobody's business.
void ReactiveConnection::send_later(const cdr::Buffer& message) {
  if (!loop_.on_thread()) {
    (void)connection_.send(message, Wait::no);
    if (!connection_.idle_output() || connection_.broken()) post_look_again(Drained::no);
    return;
  }
  if (loop_.serves(*this)) return send(message);  // within its upcall: like any other answer
  flush_batch();
  send_now(message);
}

void ReactiveConnection::deferred_ended(Drained drained) noexcept {
  if (!loop_.on_thread()) {
    if (drained == Drained::yes || hears_of_deferred_.load()) post_look_again(drained);
    return;
  }
  if (drained == Drained::yes) conversation_.send_close();
  if (input_ended_) look_again();
}

// What has come meanwhile brings no edge any more.
void ReactiveConnection::resume_reading() noexcept {
  if (loop_.on_thread()) {
    if (state_ != State::closed) loop_.reactor().mark_ready(*this);
    return;
  }
  try {
    loop_.reactor().post([self = shared_from_this()] { self->resume_reading(); });
  } catch (const std::exception& exception) {  // bad_alloc: nobody would read again
    log::write(log::Level::error, "server", exception.what());
    connection_.close();
  }
}

event::Reactor* ReactiveConnection::timers() noexcept { return &loop_.reactor(); }

// Without memory for that the connection ends: nobody would notice that the peer does not read.
void ReactiveConnection::post_look_again(Drained drained) noexcept {
  try {
    loop_.reactor().post([self = shared_from_this(), drained] {
      if (drained == Drained::yes) self->conversation_.send_close();
      self->look_again();
    });
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "server", exception.what());
    connection_.close();
  }
}

void ReactiveConnection::look_again() noexcept {
  const auto self = shared_from_this();
  if (state_ == State::closed) return;
  update_output();
  if (connection_.blocked_output() && !connection_.broken()) watch_output();
  if (input_ended_ && state_ != State::closed) end_of_input();
}

void ReactiveConnection::flush_batch() {
  if (connection_.held_output() == 0 || state_ == State::closed) return;
  (void)connection_.uncork();
  after_send();
}

void ReactiveConnection::send_now(const cdr::Buffer& message) {
  if (state_ == State::closed) return;
  (void)connection_.send(message, Wait::no);
  after_send();
}

void ReactiveConnection::after_send() {
  update_output();
  if (!connection_.idle_output() && !connection_.broken()) watch_output();
}

// Without memory for a timer it ends: nobody would notice that the peer does not read.
void ReactiveConnection::watch_output() noexcept {
  const auto timeout = loop_.core().settings().send_timeout;
  if (timeout <= std::chrono::milliseconds::zero() || std::exchange(output_watched_, true)) return;
  try {
    loop_.reactor().schedule(loop_.core().clock().now() + timeout,
                             [known = weak_from_this(), drained = connection_.drained_octets()] {
                               if (const auto connection = known.lock())
                                 connection->check_output(drained);
                             });
  } catch (const std::exception&) {
    connection_.transport().interrupt();  // the reactor reports it: no closing in mid-upcall
  }
}

void ReactiveConnection::check_output(std::uint64_t drained_before) noexcept {
  output_watched_ = false;
  if (state_ == State::closed || connection_.idle_output()) return;
  if (connection_.drained_octets() != drained_before) return watch_output();
  warn_of_peer_that_does_not_read(connection_);
  close();
}

// After each send and flush. No system call unless something changes.
void ReactiveConnection::update_output() noexcept {
  if (connection_.broken()) {
    connection_.transport().interrupt();  // the reactor reports it: no closing in mid-upcall
    return;
  }
  const bool idle = connection_.idle_output();
  loop_.reactor().want_writable(*this, idle ? event::WriteInterest::off : event::WriteInterest::on);
  if (output_ends_ && connection_.output_ended()) output_ended();
}

void ReactiveConnection::end_output() noexcept {
  output_ends_ = true;
  hears_of_deferred_.store(true);
  connection_.finish_output();
  update_output();
  if (state_ != State::closed && !std::exchange(end_watched_, true)) watch_end();
}

// A peer that goes on taking what is sent to it has time; one that has it all only to close.
void ReactiveConnection::watch_end() noexcept {
  const auto& settings = loop_.core().settings();
  const TimePoint now = loop_.core().clock().now();
  const auto limit =
      connection_.idle_output() ? settings.drain_idle_timeout : settings.drain_timeout;
  if (end_.is_over(connection_.drained_octets(), now, limit)) return close();
  try {
    loop_.reactor().schedule(now + std::min(settings.drain_idle_timeout, settings.drain_timeout),
                             [known = weak_from_this()] {
                               if (const auto connection = known.lock()) connection->watch_end();
                             });
  } catch (const std::exception& exception) {  // bad_alloc: it ends at once
    log::write(log::Level::error, "server", exception.what());
    connection_.transport().interrupt();  // the reactor reports it: no closing in mid-upcall
  }
}

void ReactiveConnection::output_ended() noexcept {
  if (input_ended_) close();
}

ServerRequest::Hold ReactiveConnection::hold(Waiting request, ServingThread& thread) {
  HeldQueue& held = loop_.held();
  return to_hold(held.keep(place_of(request, thread), request.message, held.resumptions()));
}

ServerRequest::Hold ReactiveConnection::hold_behind(Waiting request, ServingThread& thread) {
  const HeldQueue::Kept kept = loop_.held().keep_behind(place_of(request, thread), request.message);
  if (kept == HeldQueue::Kept::due) loop_.dispatch_held_later();
  return to_hold(kept);
}

HeldPlace ReactiveConnection::place_of(Waiting request, const ServingThread& thread) {
  return {{shared_from_this(), &conversation_}, request.gate, thread.held_as};
}

}  // namespace perigee::orb
