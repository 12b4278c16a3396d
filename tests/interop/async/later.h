// Deferred replies, which another thread sends in reverse order.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace interop {

/// Any thread may call `add`. The destructor waits until all functions have been called.
class Later {
 public:
  Later() : thread_([this] { work(); }) {}
  ~Later() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;

  void add(std::function<void()> answer) {
    {
      const std::lock_guard lock(mutex_);
      answers_.push_back(std::move(answer));
    }
    changed_.notify_all();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return over_ || !answers_.empty(); });
      if (answers_.empty()) return;
      const std::function<void()> answer = std::move(answers_.back());
      answers_.pop_back();
      lock.unlock();
      answer();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::function<void()>> answers_;
  bool over_ = false;
  std::thread thread_;  // the last member: the thread uses the others
};

}  // namespace interop
