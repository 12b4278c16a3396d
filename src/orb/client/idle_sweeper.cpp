// A thread that sleeps nearly all the time.
#include "orb/client/idle_sweeper.h"

#include <perigee/base/log.h>

#include <exception>
#include <utility>

namespace perigee::orb {

// Without a thread the connections stay: no reason for a call to fail.
void IdleSweeper::start() noexcept {
  if (period_ <= std::chrono::milliseconds::zero()) return;
  const std::lock_guard lock(mutex_);
  if (stopped_ || thread_.joinable()) return;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "orb", exception.what());
  }
}

void IdleSweeper::run() noexcept {
  std::unique_lock lock(mutex_);
  while (!stopped_changed_.wait_for(lock, period_, [this] { return stopped_; })) {
    lock.unlock();
    try {
      sweep_();
    } catch (const std::exception& exception) {
      log::write(log::Level::warning, "orb", exception.what());
    }
    lock.lock();
  }
}

void IdleSweeper::stop() noexcept {
  std::thread ended;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    ended.swap(thread_);
    stopped_changed_.notify_all();
  }
  if (ended.joinable()) ended.join();
}

}  // namespace perigee::orb
