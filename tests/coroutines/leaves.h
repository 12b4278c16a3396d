// Awaitables on which the tasks of the tests wait, and helpers that start tasks.
#pragma once

#include <perigee/async/task.h>

#include <coroutine>
#include <exception>
#include <semaphore>
#include <thread>
#include <utility>

namespace perigee::test {

/// A task waits at the gate until the test opens the gate. The task then resumes on the thread of
/// the test. Only one task can wait at a time.
class Gate {
 public:
  class Awaiter {
   public:
    explicit Awaiter(Gate& gate) noexcept : gate_(gate) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> task) noexcept { gate_.waiting_ = task; }
    void await_resume() const noexcept {}

   private:
    Gate& gate_;
  };

  Awaiter operator co_await() noexcept { return Awaiter(*this); }
  [[nodiscard]] bool has_waiter() const noexcept { return static_cast<bool>(waiting_); }
  void open() { std::exchange(waiting_, nullptr).resume(); }

 private:
  std::coroutine_handle<> waiting_;
};

/// Resumes tasks on its own thread.
class OtherThread {
 public:
  OtherThread() : thread_([this] { work(); }) {}
  OtherThread(const OtherThread&) = delete;
  OtherThread& operator=(const OtherThread&) = delete;
  ~OtherThread() {
    next_ = nullptr;
    given_.release();
    thread_.join();
  }

  class Awaiter {
   public:
    explicit Awaiter(OtherThread& thread) noexcept : thread_(thread) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> task) noexcept {
      OtherThread& thread = thread_;
      thread.next_ = task;
      thread.given_.release();  // now the task may resume and destroy this object
    }
    void await_resume() const noexcept {}

   private:
    OtherThread& thread_;
  };
  Awaiter operator co_await() noexcept { return Awaiter(*this); }

 private:
  void work() {
    while (true) {
      given_.acquire();
      const std::coroutine_handle<> next = std::exchange(next_, nullptr);
      if (!next) return;
      next.resume();
    }
  }

  std::counting_semaphore<> given_{0};
  std::coroutine_handle<> next_;
  std::thread thread_;
};

/// Starts a task and keeps its outcome. Must live until the task has ended.
template <typename T>
class Started {
 public:
  explicit Started(task<T> work, std::stop_token stop = {}) {
    async::start(std::move(work), std::move(stop), this,
                 [](void* self, async::outcome<T>& result) noexcept {
                   static_cast<Started*>(self)->result_ = std::move(result);
                   ++static_cast<Started*>(self)->ends_;
                   static_cast<Started*>(self)->ended_.release();
                 });
  }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  [[nodiscard]] int ends() const noexcept { return ends_; }
  [[nodiscard]] bool ended() const noexcept { return ends_ != 0; }
  /// Blocks until the task has ended.
  T get() {
    ended_.acquire();
    return result_.take();
  }

 private:
  async::outcome<T> result_;
  int ends_ = 0;
  std::binary_semaphore ended_{0};
};

}  // namespace perigee::test
