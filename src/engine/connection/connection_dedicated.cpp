// A connection that a thread of its own reads, until its home loop takes it.
#include "engine/connection/connection.h"
#include <perigee/base/log.h>

#include <bit>
#include <exception>
#include <mutex>
#include <utility>

namespace perigee::engine {

namespace {
constexpr int deferrals_max = 32;  // limit for the last 64 requests
}  // namespace

bool Connection::start_dedicated() noexcept {
  const bool has_memory = charge_opening();  // before other threads can see the connection
  home_.add(*this);
  (void)role_.try_take();
  if (!has_memory) {
    close();
    return false;
  }
  io_.transport().end_watch();
  dedicated_.store(true);
  look();
  return true;
}

void Connection::serve_dedicated() noexcept {
  const FrameLevel level(home_.settings().read_buffer_size);
  if (!level) {
    io_.close();
    return hand_over();
  }
  ThreadFrame& frame = *level;
  frame.connection = this;
  frame.wait = transport::Wait::yes;
  for (;;) {
    const Turn turn = read_messages(frame);
    if (turn == Turn::lost) return;
    if (turn == Turn::over || frame.wait == transport::Wait::no) return hand_over();
  }
}

// Called when the home loop has to read the connection, for example because most of its replies are
// deferred. No event reports octets that have come already, so the connection is marked ready: the
// loop then reads them.
void Connection::hand_over() noexcept {
  uncork();
  dedicated_.store(false);
  if (!enter_poller()) io_.close();
  while (role_.release() == ReadRole::Release::again) {
  }
  home_.reactor().mark_ready(*this);
}

// Notes that the reply to the current request is deferred. True: more than half of the last replies
// were deferred, so the home loop has to read the connection. There, the thread that reads requests
// can also send deferred replies.
bool Connection::note_deferral(ThreadFrame& frame) noexcept {
  frame.deferrals |= 1;
  return std::popcount(frame.deferrals) > deferrals_max;
}

bool Connection::enter_poller() noexcept {
  const std::lock_guard lock(output_lock_);
  return removed_ || register_locked();
}

// Expects output_lock_ to be held. False: the poller refuses the connection.
bool Connection::register_locked() noexcept {
  if (registered_.load(std::memory_order_relaxed)) return true;
  try {
    const auto added = home_.reactor().add(io_.transport().readiness_fd(), *this);
    registered_.store(added.has_value());
    if (added && io_.transport().begin_watch()) home_.reactor().mark_ready(*this);
    if (!added) log::write(log::Level::warning, "server", to_string(added.error()));
  } catch (const std::exception& exception) {  // no memory for the registration
    log::write(log::Level::warning, "server", exception.what());
  }
  return registered_.load(std::memory_order_relaxed);
}

// Called by the thread that holds the role: the dedicated reader, or a thread of the home loop that
// returns the connection to a dedicated reader. While the output is blocked, the connection stays
// in the poller, which reports when the client takes more octets.
void Connection::leave_poller() noexcept {
  const std::lock_guard lock(output_lock_);
  if (!registered_.load(std::memory_order_relaxed) || removed_ || output_armed_.load()) return;
  home_.reactor().remove(*this);
  io_.transport().end_watch();
  registered_.store(false);
}

// Guarded by the mutex of the home's registry.
Connection::Upcall Connection::look_at_upcall() noexcept {
  if (!dedicated_.load(std::memory_order_relaxed) && !keeps_role_.load()) return Upcall::none;
  const std::uint64_t epoch = role_.epoch();
  if (epoch != epoch_seen_) {
    epoch_seen_ = epoch;
    return Upcall::began;
  }
  if (epoch == epoch_called_.load() || role_.state() != ReadRole::State::lent) return Upcall::none;
  epoch_called_.store(epoch);
  return Upcall::stays;
}

// Guarded by the mutex of the home's registry.
bool Connection::held_since_last_look(bool holds) noexcept {
  const std::uint64_t epoch = role_.epoch();
  const bool held = std::exchange(held_, holds);
  return std::exchange(held_epoch_, epoch) == epoch && held && holds;
}

// Called by the supervisor, and by a thread that starts a call. A thread of the home loop then
// takes the lent role over as soon as octets come. No event reports octets that have been received
// already, so the connection is marked ready. It is also marked if it was in the poller before: the
// event of a request may have come when the role could not be taken over.
void Connection::call_for_lent_role() noexcept {
  const bool was_registered = registered_.load();
  const bool is_registered = enter_poller();
  if (was_registered || !is_registered || octets_lent_.load(std::memory_order_relaxed))
    home_.reactor().mark_ready(*this);
}

// Called by a thread of the home loop that holds the role, at the end of its turn. True: a
// dedicated reader holds the role now.
bool Connection::return_to_dedicated() noexcept {
  upcalls_alone_ = 0;
  if (state_.load() != State::open || draining_.load() || paused_.load() || waiting_) return false;
  if (peer_ended_.load() || input_ended_.load() || io_.broken()) return false;
  if (outbound_.load() != nullptr || !home_.owner().may_dedicate()) return false;
  leave_poller();
  if (registered_.load(std::memory_order_relaxed)) return false;
  dedicated_.store(true);
  if (home_.owner().dedicate(*this)) return true;
  dedicated_.store(false);
  if (!enter_poller()) io_.close();
  home_.reactor().mark_ready(*this);
  return false;
}

}  // namespace perigee::engine
