// `end` resumes the next push. A push that does not wait calls `end` again inside this call. The
// inner call returns at once, and the outer call resumes the next push. So the stack does not grow.
#include "services/events/push_order.h"

#include <stop_token>
#include <utility>

namespace perigee::events {

bool PushOrder::take_free_turn() noexcept {
  if (has_turn_ || is_passing_ || !waiting_.empty()) return false;
  has_turn_ = true;
  return true;
}

bool PushOrder::try_begin() {
  const std::scoped_lock lock(mutex_);
  return take_free_turn();
}

task<bool> PushOrder::begin() {
  const auto waiter = std::make_shared<completion<bool>>();
  {
    const std::scoped_lock lock(mutex_);
    if (take_free_turn()) co_return true;
    waiting_.push_back(waiter);
  }
  const std::stop_token stop = co_await stop_token_of_this_task();
  const auto give_up = [waiter]() noexcept { waiter->complete(false); };
  const std::stop_callback on_stop(stop, give_up);
  const bool has_turn = co_await *waiter;
  if (!has_turn) {
    const std::scoped_lock lock(mutex_);
    waiting_.remove(waiter);
  }
  co_return has_turn;
}

void PushOrder::end() {
  std::unique_lock lock(mutex_);
  has_turn_ = false;
  if (std::exchange(is_passing_, true)) return;
  while (!has_turn_ && !waiting_.empty()) {
    const Waiter next = std::move(waiting_.front());
    waiting_.pop_front();
    has_turn_ = true;
    lock.unlock();
    const bool took_turn = next->complete(true);
    lock.lock();
    if (!took_turn) has_turn_ = false;
  }
  is_passing_ = false;
}

}  // namespace perigee::events
