// Lists of waiting tasks, and their wake-up with a limited depth of the stack.
#include "services/events/waiters.h"

#include <utility>

namespace perigee::events {

namespace {

constexpr unsigned depth_max = 16;

/// The calls of WakeList::wake on this thread.
struct ThreadWakes {
  WakeList* innermost = nullptr;
  unsigned depth = 0;
};

ThreadWakes& wakes_of_thread() noexcept {
  thread_local ThreadWakes wakes;
  return wakes;
}

}  // namespace

void Waiters::add_first(const WaiterRef& waiter) {
  waiter->position = list_.insert(list_.begin(), waiter);
  waiter->is_linked = true;
}

void Waiters::add_last(const WaiterRef& waiter) {
  waiter->position = list_.insert(list_.end(), waiter);
  waiter->is_linked = true;
}

WaiterRef Waiters::take_first() noexcept {
  if (list_.empty()) return nullptr;
  WaiterRef first = std::move(list_.front());
  list_.pop_front();
  first->is_linked = false;
  return first;
}

void Waiters::remove(Waiter& waiter) noexcept {
  if (std::exchange(waiter.is_linked, false)) list_.erase(waiter.position);
}

void WakeList::add(WaiterRef waiter) noexcept {
  if (waiter == nullptr) return;
  Waiter* const added = waiter.get();
  (last_ == nullptr ? first_ : last_->next) = std::move(waiter);
  last_ = added;
}

WaiterRef WakeList::take_first() noexcept {
  WaiterRef first = std::move(first_);
  if (first == nullptr) return nullptr;
  first_ = std::move(first->next);
  if (first_ == nullptr) last_ = nullptr;
  return first;
}

void WakeList::append(WakeList& other) noexcept {
  while (WaiterRef waiter = other.take_first()) add(std::move(waiter));
}

void WakeList::wake() noexcept {
  if (first_ == nullptr) return;
  ThreadWakes& wakes = wakes_of_thread();
  if (wakes.depth >= depth_max) return wakes.innermost->append(*this);
  WakeList* const outer = std::exchange(wakes.innermost, this);
  ++wakes.depth;
  while (const WaiterRef waiter = take_first()) waiter->done.complete();
  --wakes.depth;
  wakes.innermost = outer;
}

}  // namespace perigee::events
