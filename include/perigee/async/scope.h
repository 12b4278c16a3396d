// scope: tasks that run beside the one that started them, which waits for them all.
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

/// Tasks start in it, and `co_await scope.join()` waits until all of them have ended and their
/// frames are gone. One that ends before it is joined, while tasks run, ends the program: what they
/// refer to would be gone.
///
/// Threads: any may start tasks (not after the last one has ended while the scope is joined), and
/// request the stop. Allocates once, for the stop state; a task costs its frame.
class PERIGEE_API scope {
 public:
  /// What the first task that fails does to the others.
  enum class on_error : std::uint8_t { keep_going, cancel };

  /// `outer`: stops the tasks too; usually the starting task's own token.
  explicit scope(std::stop_token outer = {}, on_error policy = on_error::keep_going)
      : stop_(std::move(outer)), policy_(policy) {}
  scope(const scope&) = delete;
  scope& operator=(const scope&) = delete;
  ~scope();

  /// Runs the task until it first waits; then it goes on by itself.
  void start(task<> work);

  /// The tasks' stop token is asked; they end when they see it.
  void request_stop() noexcept { stop_.request(); }
  /// The token that the tasks get.
  [[nodiscard]] std::stop_token stop_token() const noexcept { return stop_.token(); }

  /// Tasks that start from now on, and the calls that they await, learn that their result is
  /// awaited until then only. By std::chrono::steady_clock.
  void set_awaited_until(Deadline time) noexcept { awaited_until_ = time; }
  /// The time of the scope has passed: the tasks' stop token is asked.
  void end_in_time() noexcept {
    timed_out_.store(true, std::memory_order_relaxed);
    request_stop();
  }
  /// Whether `end_in_time` was called. To be asked after `join`.
  [[nodiscard]] bool timed_out() const noexcept {
    return timed_out_.load(std::memory_order_relaxed);
  }

  /// Waits for all tasks, then throws what the first one that failed had thrown. Goes on on the
  /// thread where the last one ended. The scope can be used again.
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
  std::exception_ptr error_;  ///< set by whom has_failed_ was set; read when all have ended
  on_error policy_;
};

}  // namespace perigee
