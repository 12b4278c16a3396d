// Lends places for requests to loops. At the limit, takes free places from other loops.
#include "engine/loops/request_count.h"

#include <algorithm>

namespace perigee::engine {

std::uint32_t RequestCount::count() const noexcept {
  const std::lock_guard lock(mutex_);
  std::uint32_t free = free_;
  for (const RequestShare* share = first_; share != nullptr; share = share->next_)
    free += share->free_.load(std::memory_order_relaxed);
  return max_ - free;
}

void RequestCount::add(RequestShare& share) noexcept {
  const std::lock_guard lock(mutex_);
  share.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &share;
  first_ = &share;
}

void RequestCount::remove(RequestShare& share) noexcept {
  const std::lock_guard lock(mutex_);
  free_ += share.free_.exchange(0, std::memory_order_relaxed);
  (share.previous_ != nullptr ? share.previous_->next_ : first_) = share.next_;
  if (share.next_ != nullptr) share.next_->previous_ = share.previous_;
}

// Near the limit, free places lie in the shares of loops that do not need them now.
std::uint32_t RequestCount::lend() noexcept {
  const std::lock_guard lock(mutex_);
  std::uint32_t lent = std::min(free_, RequestShare::portion);
  free_ -= lent;
  for (RequestShare* share = first_; share != nullptr && lent == 0; share = share->next_)
    lent = share->take(RequestShare::portion);
  return lent;
}

void RequestCount::give_back(RequestShare& share, std::uint32_t places) noexcept {
  const std::lock_guard lock(mutex_);
  free_ += share.take(places);
}

bool RequestShare::borrow() noexcept {
  const std::uint32_t lent = all_.lend();
  if (lent > 1) free_.fetch_add(lent - 1, std::memory_order_relaxed);
  return lent != 0;
}

}  // namespace perigee::engine
