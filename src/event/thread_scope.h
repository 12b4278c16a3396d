// Threads that belong to a scope, which waits for them: nothing is detached.
#pragma once

#include "event/thread.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <utility>

namespace perigee::event {

/// Any thread. Handles of threads that have ended are collected when another thread is started.
class ThreadScope {
 public:
  /// How long a spare thread waits for a further body.
  static constexpr std::chrono::milliseconds spare_time{100};

  /// `spares_max`: the number of threads that wait for a further body when theirs has returned.
  /// While one waits, `start` makes no thread. Making a thread takes up to 80 microseconds,
  /// including the allocations of libraries for each thread.
  explicit ThreadScope(std::size_t spares_max = 0) noexcept : spares_max_(spares_max) {}
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;
  ~ThreadScope() { join_all(); }

  /// Runs `body`, which must not throw, on a new or a spare thread. Throws std::system_error if the
  /// system has no thread left.
  template <typename Body>
  void start(Body body) {
    if (give_to_spare(body)) return;
    std::list<Thread> started(1);
    std::list<Thread> ended;
    {
      const std::lock_guard lock(mutex_);
      const auto place = started.begin();
      running_.splice(running_.end(), started);
      try {
        *place = Thread([this, place, body = std::move(body)]() mutable {
          run(std::move(body));
          std::unique_lock end_lock(mutex_);
          serve_as_spare(end_lock);
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
    joining_ = true;
    given_.notify_all();
    while (!running_.empty() || !ended_.empty()) {
      ended_changed_.wait(lock, [this] { return running_.empty() || !ended_.empty(); });
      std::list<Thread> ended;
      ended.swap(ended_);
      lock.unlock();
      for (Thread& thread : ended) thread.join();
      lock.lock();
    }
    joining_ = false;
  }

 private:
  using Work = std::move_only_function<void()>;

  // The captures of the body are destroyed here, before the scope can end.
  template <typename Body>
  static void run(Body body) {  // NOLINT(performance-unnecessary-value-param)
    body();
  }

  // True: a spare thread runs the body. False: no spare thread waits, or `work_` still has a body
  // that a spare thread has not taken yet.
  template <typename Body>
  bool give_to_spare(Body& body) {
    if (spares_max_ == 0) return false;
    {
      const std::lock_guard lock(mutex_);
      if (spares_ == 0 || work_ != nullptr || joining_) return false;
      work_ = std::move(body);
      --spares_;
    }
    given_.notify_one();
    return true;
  }

  void serve_as_spare(std::unique_lock<std::mutex>& lock) {
    for (Work work = await_work(lock); work != nullptr; work = await_work(lock)) {
      lock.unlock();
      work();
      work = nullptr;  // its captures are destroyed before the scope can end
      lock.lock();
    }
  }

  // Null: the thread has to end. The thread that takes the work does not change `spares_`, because
  // `give_to_spare` has subtracted it before.
  Work await_work(std::unique_lock<std::mutex>& lock) {
    if (joining_ || spares_ >= spares_max_) return nullptr;
    ++spares_;
    given_.wait_for(lock, spare_time, [this] { return work_ != nullptr || joining_; });
    if (work_ != nullptr) return std::exchange(work_, nullptr);
    --spares_;
    return nullptr;
  }

  const std::size_t spares_max_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable given_;
  Work work_;               // for a spare thread
  std::size_t spares_ = 0;  // threads that wait, without the thread that `work_` is for
  bool joining_ = false;
  std::condition_variable ended_changed_;
  std::list<Thread> running_;
  std::list<Thread> ended_;
};

}  // namespace perigee::event
