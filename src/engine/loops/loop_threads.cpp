// Serving, stepping back, and being called again.
#include "engine/loops/loop_threads.h"

#include <perigee/base/log.h>

#include <exception>

namespace perigee::engine {
namespace {

/// Waits of the calling thread that have begun and not ended, one within the other. A thread serves
/// one loop, and no longer serves it from the first wait on.
thread_local std::uint32_t waits_of_this_thread = 0;

}  // namespace

std::uint32_t LoopThreads::thread_count() const noexcept {
  const std::lock_guard lock(mutex_);
  return thread_count_;
}

bool LoopThreads::start() noexcept {
  const std::lock_guard lock(mutex_);
  while (thread_count_ < planned_ && start_thread()) serving_count_.fetch_add(1);
  return thread_count_ != 0;
}

// Expects mutex_ to be held.
bool LoopThreads::start_thread() noexcept {
  try {
    threads_.start([this] { run_thread(); });
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "engine", exception.what());
    return false;
  }
  ++thread_count_;
  return true;
}

void LoopThreads::join() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wanted_.notify_all();
  }
  threads_.join_all();
}

// Any thread beyond the planned ones has taken one of the spares, whichever thread ends.
void LoopThreads::run_thread() noexcept {
  {
    const Loop::Scope serves(loop_);
    serve();
  }
  const std::lock_guard lock(mutex_);
  if (thread_count_-- > planned_) spares_.give_back();
}

// False: the reactor was stopped. What one task throws does not concern the other tasks.
bool LoopThreads::run_turn() noexcept {
  Reactor& reactor = loop_.reactor();
  try {
    if (loop_.single_threaded()) {
      reactor.run();
      return false;
    }
    reactor.run_once(Deadline::never());
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "engine", exception.what());
  }
  return !reactor.stopped();
}

void LoopThreads::serve() noexcept {
  while (run_turn()) {
    if (serving_count_.load(std::memory_order_relaxed) <= planned_) continue;
    if (!step_back()) return;
  }
}

// True if this thread is to serve: there are not too many after all, or it was called again.
bool LoopThreads::step_back() {
  std::unique_lock lock(mutex_);
  if (serving_count_.load() <= planned_) return true;
  serving_count_.fetch_sub(1);
  ++standby_count_;
  loop_.reactor().leave();
  (void)wanted_.wait_for(lock, standby_, [this] { return wanted_count_ != 0 || stopping_; });
  --standby_count_;
  if (wanted_count_ == 0) return false;
  --wanted_count_;
  return true;
}

bool LoopThreads::begin_wait() noexcept {
  if (waits_of_this_thread == 0) {
    const std::lock_guard lock(mutex_);
    if (serving_count_.load() == 1 && !call_spare()) return false;
    serving_count_.fetch_sub(1);
  }
  ++waits_of_this_thread;
  return true;
}

void LoopThreads::end_wait() noexcept {
  if (--waits_of_this_thread != 0) return;
  const std::lock_guard lock(mutex_);
  serving_count_.fetch_add(1);
}

bool LoopThreads::add_spare() noexcept {
  const std::lock_guard lock(mutex_);
  return call_spare();
}

// Expects mutex_ to be held. The thread counts as serving from now on.
bool LoopThreads::call_spare() noexcept {
  if (stopping_) return false;
  if (wanted_count_ < standby_count_) {
    ++wanted_count_;
    wanted_.notify_one();
  } else {
    const bool is_spare = thread_count_ >= planned_;
    if (is_spare && !spares_.take()) return false;
    if (!start_thread()) {
      if (is_spare) spares_.give_back();
      return false;
    }
  }
  serving_count_.fetch_add(1);
  return true;
}

}  // namespace perigee::engine
