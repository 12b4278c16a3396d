// Serving, stepping back, and being called again.
#include "orb/server/pool_threads.h"

#include <perigee/base/log.h>

#include <exception>

namespace perigee::orb {

namespace {
thread_local const PoolThreads* pool_of_this_thread = nullptr;
}  // namespace

bool PoolThreads::on_thread() const noexcept { return pool_of_this_thread == this; }

std::uint32_t PoolThreads::thread_count() const noexcept {
  const std::lock_guard lock(mutex_);
  return thread_count_;
}

bool PoolThreads::start() noexcept {
  const std::lock_guard lock(mutex_);
  while (thread_count_ < size_.threads && start_thread()) serving_count_.fetch_add(1);
  return thread_count_ != 0;
}

// Under the mutex.
bool PoolThreads::start_thread() noexcept {
  try {
    threads_.start([this] { run_thread(); });
  } catch (const std::exception& exception) {
    log::write(log::Level::warning, "server", exception.what());
    return false;
  }
  ++thread_count_;
  return true;
}

void PoolThreads::join() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    wanted_.notify_all();
  }
  threads_.join_all();
}

void PoolThreads::run_thread() noexcept {
  pool_of_this_thread = this;
  try {
    serve();
  } catch (const std::exception& exception) {  // no memory for its buffers
    log::write(log::Level::error, "server", exception.what());
    const std::lock_guard lock(mutex_);
    serving_count_.fetch_sub(1);
  }
  const std::lock_guard lock(mutex_);
  --thread_count_;
}

void PoolThreads::serve() {
  PoolWorker worker(size_.read_buffer_size);
  event::SharedPoll::Waiter waiter;
  for (;;) {
    const event::SharedPoll::Ready ready = poll_.wait(waiter);
    if (ready.handler == nullptr) return;
    static_cast<PoolTask*>(ready.handler)->serve(ready.readiness, worker);
    if (serving_count_.load(std::memory_order_relaxed) <= size_.threads) continue;
    if (!step_back()) return;
    waiter = {};  // who is called again is needed at once
  }
}

// True if this thread is to serve: there are not too many after all, or it was called again.
bool PoolThreads::step_back() {
  std::unique_lock lock(mutex_);
  if (serving_count_.load() <= size_.threads) return true;
  serving_count_.fetch_sub(1);
  ++spare_count_;
  poll_.leave();  // what it has released counts on it
  (void)wanted_.wait_for(lock, size_.spare_kept,
                         [this] { return wanted_count_ != 0 || stopping_; });
  --spare_count_;
  if (wanted_count_ == 0) return false;
  --wanted_count_;
  return true;
}

bool PoolThreads::begin_wait() noexcept {
  const std::lock_guard lock(mutex_);
  if (serving_count_.load() == 1 && !call_spare()) return false;
  serving_count_.fetch_sub(1);
  return true;
}

void PoolThreads::end_wait() noexcept {
  const std::lock_guard lock(mutex_);
  serving_count_.fetch_add(1);
}

// Under the mutex. The thread counts as serving from now on.
bool PoolThreads::call_spare() noexcept {
  if (wanted_count_ < spare_count_) {
    ++wanted_count_;
    wanted_.notify_one();
  } else if (thread_count_ >= size_.threads + size_.spares_max || !start_thread()) {
    return false;
  }
  serving_count_.fetch_add(1);
  return true;
}

}  // namespace perigee::orb
