// Reading by the owner, giving up ownership, and sending by whoever has something to send.
#include "orb/server/pool_connection.h"

#include "orb/core/orb_core.h"
#include "orb/server/pool_server.h"
#include "orb/server/server_connection.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace perigee::orb {

using event::Readiness;
using event::SharedPoll;
using messaging::IncomingMessage;
using transport::Wait;

PoolConnection::PoolConnection(PoolServer& server, Accepted accepted)
    : server_(server),
      connection_(make_server_connection(server.core(), std::move(accepted))),
      conversation_(server.core(), connection_.session(), *this) {}

PoolConnection::~PoolConnection() = default;

bool PoolConnection::start() {
  const auto added = server_.poll().add(connection_.transport().readiness_fd(), *this);
  if (!added) log::write(log::Level::warning, "server", to_string(added.error()));
  return added.has_value();
}

void PoolConnection::serve(Readiness readiness, PoolWorker& worker) noexcept {
  const auto self = shared_from_this();  // the list may let go of it below
  worker.task = this;
  worker.reading = true;
  try {
    note(readiness);
    const More more = read_messages(worker);
    if (worker.reading && state_ != State::closed) release(more);
  } catch (const std::exception& exception) {  // bad_alloc: this connection ends, others go on
    log::write(log::Level::error, "server", exception.what());
    worker.reading ? close() : interrupt();
  }
  // An upcall that was in progress when the input ended is over: the owner has waited for it.
  if (!std::exchange(worker.reading, false) && input_ended_.load())
    server_.poll().notify(*this, Readiness::peer_closed);
}

void PoolConnection::note(Readiness readiness) {
  if (has(readiness, Readiness::peer_closed) || has(readiness, Readiness::error)) {
    peer_ended_ = true;
    connection_.expect_end();
  }
  if (has(readiness, Readiness::readable)) connection_.expect_octets();
  if (!has(readiness, Readiness::writable)) return;
  (void)connection_.flush();
  after_send();
}

// Returns with another owner, or none, if there was a two-way upcall: then `reading` is false.
PoolConnection::More PoolConnection::read_messages(PoolWorker& worker) {
  const Settings& settings = server_.core().settings();
  connection_.begin_turn(settings.octets_per_turn_max);
  for (std::uint32_t left = settings.messages_per_turn_max; left > 0; --left) {
    if (state_ == State::ending && !drop_input(worker.scratch)) return More::no;
    if (state_ == State::closed) return More::no;
    if (state_ == State::ending) continue;
    if (must_pause()) {  // goes on when it is writable, or there is room
      if (peer_ended_) conversation_.cancel_deferred();  // the end will not be read for a while
      return More::no;
    }
    IncomingMessage message;
    switch (next_message(message, worker.scratch)) {
      case ReadStatus::message:
        take(message, worker);
        if (!worker.reading) return More::no;
        break;
      case ReadStatus::would_block:
      case ReadStatus::timed_out:
        return More::no;
      case ReadStatus::turn_over:
        return More::yes;
      case ReadStatus::bad_message:
        (void)conversation_.reject(worker);
        end_gently();
        break;
      case ReadStatus::end_of_stream:
      case ReadStatus::failed:
        end_of_input();
        return More::no;
    }
  }
  return More::yes;
}

ReadStatus PoolConnection::next_message(IncomingMessage& message, MutableOctetSpan scratch) {
  if (!waiting_) [[likely]]
    return connection_.read(message, Wait::no, scratch);
  message = std::move(*waiting_);
  waiting_.reset();
  return ReadStatus::message;
}

void PoolConnection::take(IncomingMessage& message, PoolWorker& worker) {
  if (!conversation_.has_room_for(message) && !connection_.broken()) {
    message.keep();
    waiting_.emplace(std::move(message));
  } else if (conversation_.handle(message, worker) == Conversation::Verdict::close) {
    end_gently();
  }
}

// A connection that is broken is read to its end.
bool PoolConnection::must_pause() const noexcept {
  const bool waits = waiting_ && conversation_.full();
  return (connection_.blocked_output() || waits) && !connection_.broken();
}

// False if there is nothing more to drop.
bool PoolConnection::drop_input(MutableOctetSpan scratch) {
  const IoResult result = connection_.transport().receive(scratch, Wait::no);
  if (result.ok()) return true;
  if (result.status != IoStatus::would_block) end_of_input();
  return false;
}

// At the end of a turn.
void PoolConnection::release(More more) {
  if (connection_.has_octets()) connection_.detach_scratch();
  if (more == More::yes)
    server_.poll().requeue(*this, SharedPoll::Next::wait);
  else
    server_.poll().release(*this, SharedPoll::Next::wait);
}

// Before an upcall, which the scratch space belongs to until it is over.
void PoolConnection::give_up() {
  const bool more = connection_.has_octets() || !connection_.drained();
  if (connection_.has_octets()) connection_.detach_scratch();
  if (more)
    server_.poll().requeue(*this, SharedPoll::Next::upcall);
  else
    server_.poll().release(*this, SharedPoll::Next::upcall);
}

void PoolConnection::before_upcall(messaging::ResponseFlags response, ServingThread& thread) {
  auto& worker = static_cast<PoolWorker&>(thread);
  worker.resumptions_seen = server_.held().resumptions();
  if (response == messaging::ResponseFlags::none || !worker.reading) return;
  worker.task->give_up();
  worker.reading = false;
}

void PoolConnection::handle_held(IncomingMessage& message, PoolWorker& worker) noexcept {
  if (connection_.broken()) return;
  try {
    if (conversation_.handle(message, worker) == Conversation::Verdict::close) interrupt();
  } catch (const std::exception& exception) {  // bad_alloc: this connection ends, others go on
    log::write(log::Level::error, "server", exception.what());
    interrupt();
  }
  if (input_ended_.load()) server_.poll().notify(*this, Readiness::peer_closed);
}

// What is in progress is still answered: its worker makes somebody look again. What the peer has
// not read of our answers may still get out.
void PoolConnection::end_of_input() {
  if (!input_ended_.exchange(true)) conversation_.cancel_deferred();
  if (conversation_.busy()) return;
  if (connection_.idle_output() || connection_.broken()) return close();
  if (state_ == State::serving) end_gently();
}

// Closing with unread octets would reset the connection, and destroy what we sent.
void PoolConnection::end_gently() {
  if (state_ != State::serving) return;
  state_ = State::ending;
  end_output();
}

void PoolConnection::watch_idle(TimePoint now) noexcept {
  const auto limit = server_.core().settings().idle_timeout;
  if (idle_.is_over(connection_.octets_passed(), now, limit)) (void)conversation_.drain_if_idle();
}

void PoolConnection::close() noexcept {
  if (state_ == State::closed) return;
  state_ = State::closed;
  {
    const std::lock_guard lock(output_mutex_);
    removed_ = true;
    server_.poll().remove(*this);
  }
  connection_.close();
  conversation_.cancel_deferred();
  if (conversation_.holds()) server_.held().drop(conversation_);
  server_.forget(*this);
}

void PoolConnection::send(const cdr::Buffer& message) {
  (void)connection_.send(message, Wait::no);
  after_send();
}

void PoolConnection::send_without_waiting(const cdr::Buffer& message) { send(message); }

void PoolConnection::deferred_ended(Drained drained) noexcept {
  if (drained == Drained::yes) conversation_.send_close();
  if (input_ended_.load()) look_again(Readiness::peer_closed);
}

// Makes the owner look at the input, or at its end, again. Not when it has left the poll.
void PoolConnection::look_again(Readiness readiness) noexcept {
  const std::lock_guard lock(output_mutex_);
  if (!removed_) server_.poll().notify(*this, readiness);
}

// No lock and no system call unless the output is blocked, or was.
void PoolConnection::after_send() {
  if (connection_.broken())
    connection_.transport().interrupt();  // the poll reports it to the owner
  else if (connection_.blocked_output() || output_armed_.load())
    update_interest();
  if (output_ends_.load()) finish_output();
}

// Looks at the state under the lock: so the last who looks leaves the poll as the state demands.
void PoolConnection::update_interest() {
  const std::lock_guard lock(output_mutex_);
  if (removed_) return;
  const bool blocked = connection_.blocked_output();
  if (blocked != output_armed_.load()) {
    server_.poll().want_writable(*this,
                                 blocked ? event::WriteInterest::on : event::WriteInterest::off);
    output_armed_.store(blocked);
  }
  if (blocked) watch_output();
}

// Without memory for a timer it ends: nobody would notice that the peer does not read.
void PoolConnection::watch_output() noexcept {
  const auto timeout = server_.core().settings().send_timeout;
  if (timeout <= std::chrono::milliseconds::zero() || output_watched_.exchange(true)) return;
  try {
    server_.call_later(timeout, [known = weak_from_this(), drained = connection_.drained_octets()] {
      if (const auto connection = known.lock()) connection->check_output(drained);
    });
  } catch (const std::exception&) {
    interrupt();
  }
}

void PoolConnection::check_output(std::uint64_t drained_before) noexcept {
  output_watched_.store(false);
  if (connection_.broken() || !connection_.blocked_output()) return;
  if (connection_.drained_octets() != drained_before) return watch_output();
  warn_of_peer_that_does_not_read(connection_);
  interrupt();
}

void PoolConnection::end_output() noexcept {
  output_ends_.store(true);
  connection_.finish_output();
  after_send();
  if (!end_watched_.exchange(true)) watch_end();
}

void PoolConnection::finish_output() noexcept {
  if (!output_ends_.load() || !connection_.output_ended()) return;
  if (input_ended_.load()) server_.poll().notify(*this, Readiness::peer_closed);
}

// A peer that goes on taking what is sent to it has time; one that has it all only to close.
void PoolConnection::watch_end() noexcept {
  const auto& settings = server_.core().settings();
  const TimePoint now = server_.core().clock().now();
  const auto limit =
      connection_.idle_output() ? settings.drain_idle_timeout : settings.drain_timeout;
  if (end_.is_over(connection_.drained_octets(), now, limit)) return interrupt();
  try {
    server_.call_later(std::min(settings.drain_idle_timeout, settings.drain_timeout),
                       [known = weak_from_this()] {
                         if (const auto connection = known.lock()) connection->watch_end();
                       });
  } catch (const std::exception& exception) {  // bad_alloc: it ends at once
    log::write(log::Level::error, "server", exception.what());
    interrupt();
  }
}

event::Reactor* PoolConnection::timers() noexcept { return &server_.timers(); }

ServerRequest::Hold PoolConnection::hold(Waiting request, ServingThread& thread) {
  const std::uint64_t seen = static_cast<PoolWorker&>(thread).resumptions_seen;
  return to_hold(server_.held().keep(place_of(request, thread), request.message, seen));
}

ServerRequest::Hold PoolConnection::hold_behind(Waiting request, ServingThread& thread) {
  return to_hold(server_.held().keep_behind(place_of(request, thread), request.message));
}

HeldPlace PoolConnection::place_of(Waiting request, const ServingThread& thread) {
  return {{shared_from_this(), &conversation_}, request.gate, thread.held_as};
}

}  // namespace perigee::orb
