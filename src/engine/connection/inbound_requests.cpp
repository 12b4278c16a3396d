// Deferring, cancelling, stopping and draining requests.
#include "engine/connection/inbound_requests.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace perigee::engine {

void InboundRequests::defer(InboundRequest& upcall, DeferredRequest& later) noexcept {
  DeferredRequest* to_stop = nullptr;
  {
    const std::lock_guard guard(lock_);
    InboundRequest& after = later;
    after.previous_ = upcall.previous_;
    after.next_ = upcall.next_;
    (after.previous_ != nullptr ? after.previous_->next_ : first_) = &after;
    if (after.next_ != nullptr) after.next_->previous_ = &after;
    upcall.successor_ = after.deferred_ = &later;
    const bool cancelled = upcall.cancelled();
    after.cancelled_.store(cancelled, std::memory_order_relaxed);
    if ((cancelled || stops_deferred_) && mark_to_stop(later)) to_stop = &later;
    ++deferred_count_;
    full_at_ = std::min(count_max_, ordinary_full_at());
    if (is_full()) full_.store(true, std::memory_order_release);
  }
  stop_all(to_stop);
}

// Under the lock. True for the first caller, which then has to call `stop_all`.
bool InboundRequests::mark_to_stop(DeferredRequest& request) noexcept {
  if (std::exchange(request.told_, true)) return false;
  request.next_to_stop_ = nullptr;
  request.add_reference();
  return true;
}

void InboundRequests::stop_all(DeferredRequest* first) noexcept {
  while (first != nullptr) {
    DeferredRequest& request = *first;
    first = request.next_to_stop_;
    request.stop();
    request.drop_reference();
  }
}

// An earlier request with the same id can only be a oneway, to which there is no reply.
void InboundRequests::cancel(std::uint32_t id) noexcept {
  DeferredRequest* to_stop = nullptr;
  {
    const std::lock_guard guard(lock_);
    InboundRequest* request = first_;
    while (request != nullptr && request->id_ != id) request = request->next_;
    if (request == nullptr) return;
    request->cancelled_.store(true, std::memory_order_relaxed);
    if (request->deferred_ != nullptr && mark_to_stop(*request->deferred_))
      to_stop = request->deferred_;
  }
  stop_all(to_stop);
}

void InboundRequests::stop_deferred() noexcept {
  DeferredRequest* to_stop = nullptr;
  {
    const std::lock_guard guard(lock_);
    stops_deferred_ = true;
    for (InboundRequest* request = first_; request != nullptr; request = request->next_) {
      if (request->deferred_ == nullptr || !mark_to_stop(*request->deferred_)) continue;
      request->deferred_->next_to_stop_ = to_stop;
      to_stop = request->deferred_;
    }
  }
  stop_all(to_stop);
}

void InboundRequests::stop(DeferredRequest& request) noexcept {
  DeferredRequest* to_stop = nullptr;
  {
    const std::lock_guard guard(lock_);
    if (mark_to_stop(request)) to_stop = &request;
  }
  stop_all(to_stop);
}

void InboundRequests::fill() noexcept {
  const std::lock_guard guard(lock_);
  full_.store(true, std::memory_order_release);
}

bool InboundRequests::make_room() noexcept {
  const std::lock_guard guard(lock_);
  if (!full_.load(std::memory_order_relaxed) || is_full()) return false;
  full_.store(false, std::memory_order_release);
  return true;
}

bool InboundRequests::begin_drain() noexcept {
  const std::lock_guard guard(lock_);
  if (std::exchange(draining_, true) || count_ != 0) return false;
  drained_ = true;
  return true;
}

bool InboundRequests::drain_if_idle() noexcept {
  const std::lock_guard guard(lock_);
  if (draining_ || count_ != 0 || parks()) return false;
  draining_ = drained_ = true;
  return true;
}

bool InboundRequests::drained() const noexcept {
  const std::lock_guard guard(lock_);
  return drained_;
}

bool InboundRequests::busy() const noexcept {
  const std::lock_guard guard(lock_);
  return count_ != 0;
}

void InboundRequests::check_invariants() const noexcept {
  const std::lock_guard guard(lock_);
  std::uint32_t count = 0;
  std::uint32_t deferred = 0;
  const InboundRequest* before = nullptr;
  for (const InboundRequest* each = first_; each != nullptr; before = each, each = each->next_) {
    ++count;
    if (each->deferred_ != nullptr) ++deferred;
    assert(each->previous_ == before);
    assert(!each->deferred());
  }
  assert(count == count_ && deferred == deferred_count_);
  assert(admitted_count_ == left_count_ + count_);
  assert(full_at_ ==
         (deferred != 0 ? std::min(count_max_, ordinary_full_at()) : ordinary_full_at()));
  assert(full_.load(std::memory_order_relaxed) == is_full());
  assert(!drained_ || (draining_ && count_ == 0));
  assert(!stops_deferred_ || deferred <= count);
  static_cast<void>(before);
}

}  // namespace perigee::engine
