// scope: runs tasks beside the task that started them. The starting task waits for all of them.
#pragma once

#include <perigee/async/latch.h>
#include <perigee/async/task.h>
#include <perigee/base/deadline.h>
#include <perigee/base/export.h>

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <stop_token>
#include <utility>

namespace perigee {

/// Tasks start in a scope, and `co_await scope.join()` waits until all of them have ended and their
/// frames are gone. If a scope is destroyed before it is joined, while tasks run, the program is
/// terminated: the tasks would refer to objects that are gone.
///
/// Threads: any thread may start tasks and request the stop. During a join, a task may start only
/// while another task of the scope runs. A scope allocates once, for the stop state; a task costs
/// its frame.
class PERIGEE_API scope {
 public:
  /// Says whether the first failure stops the other tasks.
  enum class on_error : std::uint8_t { keep_going, cancel };

  /// A stop request of `outer`, usually the token of the starting task, also stops the tasks.
  explicit scope(std::stop_token outer = {}, on_error policy = on_error::keep_going)
      : stop_(std::move(outer)), policy_(policy) {}
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope();

  /// Runs the task on this thread until it first waits. Then the operations that it awaits resume
  /// it.
  void start(task<> work);

  /// Asks the tasks to stop, through their stop token. Calls and sleeps that a task awaits then end
  /// early; other code of the task has to check the token.
  void request_stop() noexcept { stop_.request(); }
  /// The token that the tasks get.
  [[nodiscard]] std::stop_token stop_token() const noexcept { return stop_.token(); }

  /// Sets the time, by std::chrono::steady_clock, until which results of tasks are awaited. Applies
  /// to tasks that are started after this call: the calls that they await end with TIMEOUT at this
  /// time.
  void set_awaited_until(Deadline time) noexcept { awaited_until_ = time; }
  /// Called when the deadline of the scope has passed: requests the stop of the tasks.
  void end_in_time() noexcept {
    timed_out_.store(true, std::memory_order_relaxed);
    request_stop();
  }
  /// Whether `end_in_time` was called. Valid after `join`.
  [[nodiscard]] bool timed_out() const noexcept {
    return timed_out_.load(std::memory_order_relaxed);
  }

  /// Waits for all tasks, then throws the exception of the first task that failed. The thread where
  /// the last task ended resumes the joining task. The scope can be used again, but a requested
  /// stop also applies to later tasks.
  [[nodiscard]] auto join() noexcept { return Join(*this); }

 private:
  class Join {
   public:
    explicit Join(scope& joined) noexcept : scope_(joined) {}
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    [[nodiscard]] bool await_suspend(std::coroutine_handle<> task) noexcept {
      return scope_.running_.wait(task);
    }
    void await_resume() { scope_.joined(); }

   private:
    scope& scope_;
  };

  static void ended(async::detail::PromiseBase& promise, void* self) noexcept;
  void failed(std::exception_ptr error) noexcept;
  void joined();

  async::detail::LinkedStop stop_;
  async::detail::Latch running_;
  Deadline awaited_until_;
  std::atomic<bool> timed_out_ = false;
  std::atomic<bool> has_failed_ = false;
  std::exception_ptr error_;  ///< thrown by the task that set has_failed_; read when all have ended
  on_error policy_;
};

}  // namespace perigee
