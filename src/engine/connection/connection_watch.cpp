// The watch of a connection: one timer for idling, for slow clients and for the end.
#include "engine/connection/connection.h"
#include "engine/memory/unfinished.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <utility>

namespace perigee::engine {

void Connection::Watch::fire(Timer& timer) noexcept {
  Connection& connection = static_cast<Watch&>(timer).connection_;
  {
    const std::lock_guard lock(connection.watch_lock_);
    connection.watch_armed_ = Deadline::never();
  }
  connection.look();
  connection.drop_reference();
}

// Looks at the connection, and arms the timer for the next look. Called by the timer, and by
// functions that need an earlier look.
void Connection::look() noexcept {
  const TimePoint now = home_.clock().now();
  Finding finding;
  {
    const std::lock_guard lock(watch_lock_);
    if (watch_ended_) return;
    finding = look_at_state(now);
    // After the end of the loop no timer fires, so an armed timer would keep the connection alive.
    if (finding.next < watch_armed_ && !home_.loop().timers().closed()) {
      watch_armed_ = finding.next;
      if (home_.loop().timers().arm(watch_, finding.next)) add_reference();
    }
  }
  if (finding.slow) log_client(log::Level::warning, " does not read its replies");
  if (finding.late) count_late_client();
  if (finding.over) return cut();
  if (finding.idle && begin_idle_close()) send_close();
}

// A call that starts at the same moment either is listed before the look at the calls, or finds the
// flag and waits for this decision. A refused call has not been sent, and goes over another
// connection.
bool Connection::begin_idle_close() noexcept {
  const std::lock_guard lock(watch_lock_);
  idle_close_.store(true);
  const bool closes = !has_calls() && requests_.drain_if_idle();
  if (closes) closing_.store(true);
  idle_close_.store(false);
  return closes;
}

// Expects watch_lock_ to be held.
Connection::Finding Connection::look_at_state(TimePoint now) noexcept {
  switch (state_.load()) {
    case State::opening:
      return look_at_opening(now);
    case State::open:
    case State::refusing:
      return look_at_open(now);
    case State::finishing:
    case State::lingering:
    case State::closed:
      break;
  }
  return look_at_ending(now);
}

// Expects watch_lock_ to be held. `open_timeout` counts from the first look.
Connection::Finding Connection::look_at_opening(TimePoint now) noexcept {
  const auto limit = home_.settings().open_timeout;
  Finding finding;
  finding.over = end_.lasted(0, now, limit);
  finding.next = Deadline::after(limit, now);
  return finding;
}

// Expects watch_lock_ to be held.
Connection::Finding Connection::look_at_open(TimePoint now) noexcept {
  const EngineSettings& settings = home_.settings();
  Finding finding;
  const auto idle_timeout =
      side_ == messaging::Role::acceptor ? settings.idle_timeout : settings.client_idle_timeout;
  if (const auto period = watch_period(idle_timeout); period.count() != 0) {
    finding.idle = io_.is_idle(idle_, now, idle_timeout) &&
                   !agreement_.carries_callbacks.load(std::memory_order_relaxed);
    finding.next = Deadline::after(period, now);
  }
  if (io_.blocked_output()) {
    look_at_blocked_output(now, finding);
  } else {
    output_.forget();
    if (may_be_dedicated_) look_at_send(now, finding);
  }
  look_at_drain(now, finding);
  look_at_first_reply(now, finding);
  return finding;
}

// Expects watch_lock_ to be held.
void Connection::look_at_blocked_output(TimePoint now, Finding& finding) noexcept {
  const EngineSettings& settings = home_.settings();
  const auto period = watch_period(settings.send_timeout);
  if (period.count() == 0) return;
  const std::uint64_t drained = io_.drained_octets();
  finding.slow = output_.lasted(drained, now, settings.send_timeout);
  finding.late = !finding.slow && falls_behind(now, no_message, drained);
  finding.over = finding.slow || finding.late;
  finding.next = std::min(finding.next, Deadline::after(period, now));
}

// Expects watch_lock_ to be held. A dedicated reader may be sending a reply. The time-out of the
// transport finds a client that takes nothing.
void Connection::look_at_send(TimePoint now, Finding& finding) noexcept {
  const auto period = watch_period(
      std::chrono::duration_cast<std::chrono::milliseconds>(home_.settings().output_pace.grace));
  finding.next = std::min(finding.next, Deadline::after(period, now));
  if (!io_.in_send()) return output_pace_.end();
  finding.late = falls_behind(now, io_.messages_sent(), io_.octets_sent());
  finding.over = finding.over || finding.late;
}

// Expects watch_lock_ to be held. The pace is measured anew for each message that a thread sends,
// and for each time that the output is blocked.
bool Connection::falls_behind(TimePoint now, std::uint64_t message, std::uint64_t octets) noexcept {
  if (!output_pace_.active() || std::exchange(paced_message_, message) != message) {
    paced_message_ = message;
    output_pace_.begin(now, octets);
  }
  return output_pace_.is_too_slow(now, octets, home_.settings().output_pace);
}

// Expects watch_lock_ to be held. A dedicated reader may wait for its client in a send, also when
// it has lost the role; the upcall of that reply is in progress until the send has ended. Calls of
// this side may wait for a peer that sends nothing. A request in progress may wait for a later
// message of its client, which never comes while the input is dropped. In each of these cases, the
// connection is closed when no octet has passed for `drain_timeout`.
void Connection::look_at_drain(TimePoint now, Finding& finding) noexcept {
  const bool calls = has_calls();
  const bool refusing = state_.load() == State::refusing;
  if (!draining_.load() || !(may_be_dedicated_ || calls || refusing)) return;
  const auto limit = home_.settings().drain_timeout;
  const auto period = std::max(watch_period(limit), std::chrono::milliseconds(1));
  finding.next = std::min(finding.next, Deadline::after(period, now));
  const std::uint64_t passed = io_.octets_sent() + (calls ? io_.octets_received() : 0);
  if (!io_.in_send() && !io_.blocked_output() && !calls && !refusing)
    end_.forget();
  else if (end_.lasted(passed, now, limit))
    finding.over = true;
}

// Expects watch_lock_ to be held. If the peer has never replied, the connection ends when its
// oldest waiting call is `first_reply_timeout` old. All its calls then fail.
void Connection::look_at_first_reply(TimePoint now, Finding& finding) noexcept {
  if (!awaits_first_reply_.load() || agreement_.answered.load()) return;
  TimePoint first = now;
  const auto see = [&first](OutboundCall& call) {
    first = std::min(first, started(call).sent_at_);
    return false;
  };
  (void)outbound_.load()->calls.take_first(see);
  const Deadline end = Deadline::after(home_.settings().first_reply_timeout, first);
  if (end.passed(now)) {
    note_failure(CallFailure::no_first_reply);
    finding.over = true;
  } else {
    finding.next = std::min(finding.next, end);
  }
}

// Expects watch_lock_ to be held. `drain_timeout` begins anew whenever the client takes octets. A
// client that has taken all octets only has to close, within `drain_idle_timeout`. If such a client
// is in the middle of a message, only `drain_timeout` counts while its octets arrive, unless it has
// sent a malformed message.
Connection::Finding Connection::look_at_ending(TimePoint now) noexcept {
  const EngineSettings& settings = home_.settings();
  const auto period = std::min(settings.drain_idle_timeout, settings.drain_timeout);
  const std::uint64_t received = rejected_.load() ? 0 : io_.octets_received();
  Finding finding;
  finding.over = end_.lasted(io_.drained_octets(), now, settings.drain_timeout);
  if (!io_.idle_output())
    idle_.forget();
  else if (idle_.lasted(received, now, settings.drain_idle_timeout))
    finding.over = true;
  finding.next = Deadline::after(std::max(period, std::chrono::milliseconds(1)), now);
  return finding;
}

// When the output is blocked for the next time, the pace is measured anew.
void Connection::end_output_pace() noexcept {
  const std::lock_guard lock(watch_lock_);
  output_pace_.end();
}

void Connection::count_late_client() noexcept {
  if (home_.traffic().unfinished != nullptr) home_.traffic().unfinished->count_eviction();
  log_client(log::Level::info, " reads its replies too slowly: the connection is closed");
}

void Connection::log_client(log::Level level, const char* text) noexcept {
  try {
    log::write(level, "server", io_.peer() + text);
  } catch (const std::exception& exception) {  // no memory for the log line
    log::write(log::Level::warning, "server", exception.what());
  }
}

}  // namespace perigee::engine
