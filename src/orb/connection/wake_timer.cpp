// Sleeps until the earliest time that was passed to `wake_at`.
#include "orb/connection/wake_timer.h"

#include <perigee/base/log.h>

#include <algorithm>
#include <chrono>
#include <exception>

namespace perigee::orb {

namespace {

constexpr std::chrono::hours wait_max{1};  // the standard library adds durations without a check

}  // namespace

// Without a thread, idle connections stay open, and oneways leave with the next message. So calls
// do not fail for lack of a thread.
void WakeTimer::wake_at(Deadline due) noexcept {
  const std::lock_guard lock(mutex_);
  if (stopped_ || due >= due_) return;
  due_ = due;
  if (thread_.joinable()) return changed_.notify_one();
  try {
    thread_ = event::Thread([this] { run(); });
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "orb", exception.what());
  }
}

void WakeTimer::run() noexcept {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (!due_.passed(clock_.now())) {
      wait(lock);
      continue;
    }
    due_ = Deadline::never();
    lock.unlock();
    const Deadline next = work();
    lock.lock();
    due_ = std::min(due_, next);
  }
}

void WakeTimer::wait(std::unique_lock<std::mutex>& lock) {
  if (due_.is_never())
    changed_.wait(lock);
  else
    (void)changed_.wait_for(lock, std::min<Duration>(due_.left(clock_.now()), wait_max));
}

Deadline WakeTimer::work() noexcept {
  try {
    return work_(clock_.now());
  } catch (const std::exception& exception) {  // bad_alloc: again, a little later
    log::write(log::Level::warning, "orb", exception.what());
    return Deadline::after(std::chrono::milliseconds(10), clock_.now());
  }
}

void WakeTimer::stop() noexcept {
  event::Thread ended;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    ended.swap(thread_);
    changed_.notify_all();
  }
  if (ended.joinable()) ended.join();
}

}  // namespace perigee::orb
