// Sleeping: the timer fires on a thread of the reactor, stop requests come from any thread.
#include "orb/context/thread_slots.h"
#include <perigee/async/sleep.h>

#include <utility>

namespace perigee::async::detail {

// After the post, `*this` must not be used: the task may have resumed, and destroyed the sleep.
bool Sleep::suspend(std::coroutine_handle<> task) {
  if (reactor_.closed() || (stop_ != nullptr && stop_->stop_requested())) return false;
  task_ = task;
  if (orb::slots_in_use.load(std::memory_order_relaxed)) slots_ = orb::thread_slots();
  if (reactor_.is_loop_thread()) return begin();
  reactor_.post(begin_);
  return true;
}

// The resumed task may destroy the sleep.
void Sleep::resume() {
  if (!orb::slots_in_use.load(std::memory_order_relaxed)) return task_.resume();
  const orb::SlotScope scope(std::move(slots_));
  task_.resume();
}

void Sleep::begin_on_loop() {
  if (!begin()) resume();
}

// False if the sleep is over. The timer may fire, and the stop request may come, on other threads
// before this function returns. A stop request before `arm` finds no timer, so `begin` checks for
// it afterwards.
bool Sleep::begin() {
  if (reactor_.closed()) return false;
  if (stop_ != nullptr && stop_->stop_possible()) on_stop_.emplace(*stop_, OnStop(*this));
  reactor_.arm(timer_, deadline_);
  if (stop_requested_.load() && reactor_.cancel(timer_)) return false;
  return (state_.fetch_or(suspended, std::memory_order_acq_rel) & ended) == 0;
}

void Sleep::fired() {
  slept_ = !stop_requested_.load() && !reactor_.closed();
  if ((state_.fetch_or(ended, std::memory_order_acq_rel) & suspended) != 0) resume();
}

// The task continues on the reactor's thread. If the timer is not armed, it is firing now, or
// `begin` sees the request.
void Sleep::stopped() noexcept {
  stop_requested_.store(true);
  if (reactor_.cancel(timer_)) reactor_.arm(timer_, Deadline::immediately());
}

}  // namespace perigee::async::detail
