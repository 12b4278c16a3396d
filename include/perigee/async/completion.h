// completion<T>: turns a callback into a result that a task can await. It works with foreign event
// loops, thread pools and libraries.
#pragma once

#include <perigee/async/executor.h>
#include <perigee/async/outcome.h>
#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>
#include <perigee/event/task.h>

#include <atomic>
#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>

namespace perigee {

namespace orb {
class SlotValues;
}

namespace async::detail {

/// Resumes a waiting task on a reactor's thread. Posting it allocates nothing.
class ResumeTask final : public event::Task {
 public:
  ResumeTask() noexcept : Task(&resume) {}
  std::coroutine_handle<> waiter;
  counted_ptr<const orb::SlotValues> slots;  ///< the slots of the waiting task

 private:
  PERIGEE_API static void resume(Task& task);
};

/// The waiting task, and whether the result has arrived. Any thread may use this object, but only
/// one task may wait.
class CompletionState {
 public:
  explicit CompletionState(executor where) noexcept : where_(where) {}
  CompletionState(const CompletionState&) = delete;
  CompletionState& operator=(const CompletionState&) = delete;

  /// True for the first caller: it sets the result, then calls `publish`.
  [[nodiscard]] bool claim() noexcept {
    return !claimed_.exchange(true, std::memory_order_relaxed);
  }
  /// Resumes the waiting task. This object may no longer exist when the function returns.
  PERIGEE_API void publish() noexcept;
  /// The same; uses `resume_task` if a reactor resumes the waiting task.
  PERIGEE_API void publish(ResumeTask& resume_task) noexcept;

  [[nodiscard]] bool is_over() const noexcept {
    return waiter_.load(std::memory_order_acquire) == this;
  }
  /// False if the result has arrived: the task does not wait. Throws std::logic_error if another
  /// task waits already.
  [[nodiscard]] PERIGEE_API bool wait(std::coroutine_handle<> task);

 private:
  std::atomic<bool> claimed_ = false;
  /// Null; or the frame of the waiting task; or `this`, when the result has arrived.
  std::atomic<void*> waiter_ = nullptr;
  executor where_;
  /// The slots of PICurrent that the waiting task had, and has again when it goes on.
  counted_ptr<const orb::SlotValues> slots_;
};

}  // namespace async::detail

/// A result that arrives once, from any thread. One task awaits it, before or after it arrives. T
/// may be void. The object must live until it is completed. If a task awaits it, it must also live
/// until that task has taken the result. If several threads try to complete it, it must live until
/// all of them have returned from `complete` or `fail`.
///
/// A completion does not observe stop tokens. The code that completes it must observe them, for
/// example with a std::stop_callback that calls `fail`.
template <typename T = void>
class completion {
 public:
  /// `where` resumes the task. By default the completing thread resumes it, inside `complete`.
  explicit completion(executor where = {}) noexcept : state_(where) {}
  completion(const completion&) = delete;
  completion& operator=(const completion&) = delete;

  /// Sets the result. Returns false, and has no effect, after an earlier `complete` or `fail`. Any
  /// thread. If the construction of the value throws, that exception becomes the result.
  template <typename U = T>
    requires(!std::is_void_v<T>)
  bool complete(U&& value) noexcept {
    if (!state_.claim()) return false;
    try {
      result_.set_value(std::forward<U>(value));
    } catch (...) {
      result_.set_error(std::current_exception());
    }
    state_.publish(resume_task_);
    return true;
  }
  bool complete() noexcept
    requires std::is_void_v<T>
  {
    if (!state_.claim()) return false;
    result_.set_value();
    state_.publish(resume_task_);
    return true;
  }
  /// The same with an exception, which `co_await` throws.
  bool fail(std::exception_ptr error) noexcept {
    if (!state_.claim()) return false;
    result_.set_error(std::move(error));
    state_.publish(resume_task_);
    return true;
  }

  class Awaiter {
   public:
    explicit Awaiter(completion& awaited) noexcept : awaited_(awaited) {}
    [[nodiscard]] bool await_ready() const noexcept { return awaited_.state_.is_over(); }
    [[nodiscard]] bool await_suspend(std::coroutine_handle<> task) {
      return awaited_.state_.wait(task);
    }
    T await_resume() { return awaited_.result_.take(); }

   private:
    completion& awaited_;
  };
  /// May be awaited once.
  [[nodiscard]] Awaiter operator co_await() & noexcept { return Awaiter(*this); }

 private:
  async::detail::CompletionState state_;
  async::detail::ResumeTask resume_task_;
  async::outcome<T> result_;
};

}  // namespace perigee
