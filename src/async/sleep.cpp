// Sleeping: timers belong to the loop's thread, stop requests come from any.
#include <perigee/async/sleep.h>

namespace perigee::async::detail {

bool Sleep::suspend(std::coroutine_handle<> task) {
  if (stop_ != nullptr && stop_->stop_requested()) return false;
  task_ = task;
  // On the loop's thread nothing resumes the task before this has returned. On others nothing may
  // be touched after the post.
  if (reactor_.is_loop_thread()) {
    arm();
  } else {
    reactor_.post([this] { arm(); });
  }
  return true;
}

void Sleep::arm() {
  timer_ = reactor_.schedule(time_, [this] { timer_ran(); });
  if (stop_ != nullptr && stop_->stop_possible()) on_stop_.emplace(*stop_, OnStop(*this));
}

void Sleep::timer_ran() {
  if (claimed_.exchange(true, std::memory_order_relaxed)) return;  // end_early is on its way
  slept_ = true;
  task_.resume();
}

void Sleep::stopped() noexcept {
  if (claimed_.exchange(true, std::memory_order_relaxed)) return;
  reactor_.post([this] { end_early(); });
}

void Sleep::end_early() {
  reactor_.cancel(timer_);
  task_.resume();
}

}  // namespace perigee::async::detail
