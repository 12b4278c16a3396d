// Sleeps until the first of those that wait is due.
#include "orb/client/flush_timer.h"

#include <perigee/base/log.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace perigee::orb {

// Without a thread they leave with whatever is sent next on their connection.
void FlushTimer::wake_at(TimePoint due) noexcept {
  const std::lock_guard lock(mutex_);
  if (stopped_ || due >= due_) return;
  due_ = due;
  if (thread_.joinable()) return changed_.notify_one();
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "orb", exception.what());
  }
}

void FlushTimer::run() noexcept {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (clock_.now() < due_) {
      wait(lock);
      continue;
    }
    due_ = never;
    lock.unlock();
    const TimePoint next = flush();
    lock.lock();
    due_ = std::min(due_, next);
  }
}

void FlushTimer::wait(std::unique_lock<std::mutex>& lock) {
  if (due_ == never)
    changed_.wait(lock);
  else
    (void)changed_.wait_for(lock, due_ - clock_.now());
}

TimePoint FlushTimer::flush() noexcept {
  try {
    return flush_(clock_.now());
  } catch (const std::exception& exception) {  // bad_alloc: again, a little later
    log::write(log::Level::warning, "orb", exception.what());
    return clock_.now() + std::chrono::milliseconds(10);
  }
}

void FlushTimer::stop() noexcept {
  std::thread ended;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    ended.swap(thread_);
    changed_.notify_all();
  }
  if (ended.joinable()) ended.join();
}

}  // namespace perigee::orb
