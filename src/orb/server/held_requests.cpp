// A queue of requests as a task of the pool's.
#include "orb/server/held_requests.h"

#include "orb/server/pool_connection.h"

#include <utility>

namespace perigee::orb {

using event::SharedPoll;
using messaging::IncomingMessage;

HeldQueue::Kept HeldRequests::keep(HeldPlace place, IncomingMessage& message,
                                   std::uint64_t resumptions_seen) {
  const HeldQueue::Kept kept = queue_.keep(std::move(place), message, resumptions_seen);
  if (kept == HeldQueue::Kept::due) poll_.notify(*this, event::Readiness::readable);
  return kept;
}

HeldQueue::Kept HeldRequests::keep_behind(HeldPlace place, IncomingMessage& message) {
  const HeldQueue::Kept kept = queue_.keep_behind(std::move(place), message);
  if (kept == HeldQueue::Kept::due) poll_.notify(*this, event::Readiness::readable);
  return kept;
}

void HeldRequests::resume() {
  if (queue_.resume()) poll_.notify(*this, event::Readiness::readable);
}

void HeldRequests::serve(event::Readiness /*readiness*/, PoolWorker& worker) noexcept {
  worker.task = this;
  worker.reading = true;
  if (auto request = queue_.take()) {
    in_hand_ = worker.held_as = request->place.number;
    auto& host = request->place.conversation->host();
    static_cast<PoolConnection&>(host).handle_held(request->message, worker);
    worker.held_as = 0;
  }
  if (std::exchange(worker.reading, false)) finish(SharedPoll::Next::wait);
}

// Two-way requests of a connection need not wait for each other.
void HeldRequests::give_up() { finish(SharedPoll::Next::upcall); }

void HeldRequests::finish(SharedPoll::Next next) {
  if (const std::uint64_t number = std::exchange(in_hand_, 0); number != 0) queue_.done(number);
  if (queue_.any_due())
    poll_.requeue(*this, next);
  else
    poll_.release(*this, next);
}

}  // namespace perigee::orb
