// One due request at a time, so that as many workers as are free take part.
#include "orb/server/held_requests.h"

#include "orb/server/pool_connection.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace perigee::orb {

using event::SharedPoll;

bool HeldRequests::keep(std::shared_ptr<PoolConnection> connection,
                        messaging::IncomingMessage& message, std::uint64_t resumptions_seen) {
  {
    const std::lock_guard lock(mutex_);
    if (held_.size() >= requests_max_) return false;
    message.keep();
    held_.push_back({std::move(connection), std::move(message)});
    if (resumptions_.load() == resumptions_seen) return true;
    due_count_ = held_.size();
  }
  poll_.notify(*this, event::Readiness::readable);
  return true;
}

void HeldRequests::resume() {
  {
    const std::lock_guard lock(mutex_);
    resumptions_.fetch_add(1);
    due_count_ = held_.size();
    if (due_count_ == 0) return;
  }
  poll_.notify(*this, event::Readiness::readable);
}

void HeldRequests::clear() {
  std::deque<Held> dropped;  // ends after the lock
  const std::lock_guard lock(mutex_);
  dropped.swap(held_);
  due_count_ = 0;
}

std::optional<HeldRequests::Held> HeldRequests::take_due() {
  const std::lock_guard lock(mutex_);
  if (due_count_ == 0) return std::nullopt;
  --due_count_;
  Held first = std::move(held_.front());
  held_.pop_front();
  return first;
}

bool HeldRequests::any_due() const {
  const std::lock_guard lock(mutex_);
  return due_count_ != 0;
}

void HeldRequests::serve(event::Readiness /*readiness*/, PoolWorker& worker) noexcept {
  worker.task = this;
  worker.reading = true;
  if (auto request = take_due()) request->connection->handle_held(request->message, worker);
  if (std::exchange(worker.reading, false)) pass_on(SharedPoll::Next::wait);
}

void HeldRequests::give_up() { pass_on(SharedPoll::Next::upcall); }

void HeldRequests::pass_on(SharedPoll::Next next) {
  if (any_due())
    poll_.requeue(*this, next);
  else
    poll_.release(*this, next);
}

}  // namespace perigee::orb
