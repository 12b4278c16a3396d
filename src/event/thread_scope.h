// Threads that belong to a scope, which waits for them: nothing is detached.
#pragma once

#include "event/thread.h"

#include <condition_variable>
#include <list>
#include <mutex>
#include <utility>

namespace perigee::event {

/// Any thread. Handles of threads that have ended are collected when another thread is started.
class ThreadScope {
 public:
  ThreadScope() = default;
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;
  ~ThreadScope() { join_all(); }

  /// Runs `body`, which must not throw, on a new thread. Throws std::system_error if the system has
  /// no thread left.
  template <typename Body>
  void start(Body body) {
    std::list<Thread> started(1);
    std::list<Thread> ended;
    {
      const std::lock_guard lock(mutex_);
      const auto place = started.begin();
      running_.splice(running_.end(), started);
      try {
        *place = Thread([this, place, body = std::move(body)]() mutable {
          run(std::move(body));
          const std::lock_guard end_lock(mutex_);
          ended_.splice(ended_.end(), running_, place);
          ended_changed_.notify_all();
        });
      } catch (...) {
        running_.erase(place);
        throw;
      }
      ended.swap(ended_);  // nothing below throws: a thread must be joined before its handle goes
    }
    for (Thread& thread : ended) thread.join();
  }

  /// Waits for all threads. Must not be called by one of them.
  void join_all() {
    std::unique_lock lock(mutex_);
    while (!running_.empty() || !ended_.empty()) {
      ended_changed_.wait(lock, [this] { return running_.empty() || !ended_.empty(); });
      std::list<Thread> ended;
      ended.swap(ended_);
      lock.unlock();
      for (Thread& thread : ended) thread.join();
      lock.lock();
    }
  }

 private:
  // The captures of the body are destroyed here, before the scope can end.
  template <typename Body>
  static void run(Body body) {  // NOLINT(performance-unnecessary-value-param)
    body();
  }

  std::mutex mutex_;  // guards the members below
  std::condition_variable ended_changed_;
  std::list<Thread> running_;
  std::list<Thread> ended_;
};

}  // namespace perigee::event
