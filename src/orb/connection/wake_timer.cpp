// Sleeps until the earliest time that was passed to `wake_at`.
#include "orb/connection/wake_timer.h"

#include <perigee/base/log.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace perigee::orb {

namespace {

// A limit for each wait: the standard library adds the duration to its clock, which may overflow.
constexpr std::chrono::hours wait_max{1};

}  // namespace

// Without a thread, idle connections stay open, and oneways leave at once. So calls do not fail for
// lack of a thread. `due_` is kept, so that a later call that starts the thread also starts the
// work that is due.
bool WakeTimer::wake_at(Deadline due) noexcept {
  const std::lock_guard lock(mutex_);
  if (stopped_) return false;
  const bool is_running = thread_.joinable();
  if (due >= due_ && (is_running || due_.is_never())) return true;
  due_ = std::min(due_, due);
  if (!is_running) return start();
  changed_.notify_one();
  return true;
}

// Each call tries to start the thread again, so only the first failure of a series is logged.
bool WakeTimer::start() noexcept {
  try {
    thread_ = event::Thread([this] { run(); });
    start_failed_ = false;
  } catch (const std::exception& exception) {
    if (!std::exchange(start_failed_, true))
      log::write(log::Level::warning, "orb", exception.what());
  }
  return !start_failed_;
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
  } catch (const std::exception& exception) {  // no memory: the work is tried again a little later
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
