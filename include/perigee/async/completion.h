// completion<T>: turns a callback into something that a task can wait for. The one awaiter that
// composes with foreign event loops, thread pools and libraries.
#pragma once

#include <perigee/async/executor.h>
#include <perigee/async/outcome.h>
#include <perigee/base/export.h>

#include <atomic>
#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>

namespace perigee {

namespace async::detail {

/// Who waits, and whether it is over. Any thread, but for one that waits.
class CompletionState {
 public:
  explicit CompletionState(executor where) noexcept : where_(where) {}
  CompletionState(const CompletionState&) = delete;
  CompletionState& operator=(const CompletionState&) = delete;

  /// True for the first who asks: it sets the result, then calls `publish`.
  [[nodiscard]] bool claim() noexcept {
    return !claimed_.exchange(true, std::memory_order_relaxed);
  }
  /// Goes on with the task that waits. This object may be gone when it returns.
  PERIGEE_API void publish() noexcept;

  [[nodiscard]] bool is_over() const noexcept {
    return waiter_.load(std::memory_order_acquire) == this;
  }
  /// False if it is over: the task does not wait. std::logic_error if another one does.
  [[nodiscard]] PERIGEE_API bool wait(std::coroutine_handle<> task);

 private:
  std::atomic<bool> claimed_ = false;
  std::atomic<void*> waiter_ = nullptr;  ///< null, the waiting task's frame, or `this`: over
  executor where_;
};

}  // namespace async::detail

/// A result that arrives once, by any thread, and that one task awaits, before or after. T may be
/// void. It must stay until it is completed and, if it is awaited, the task goes on; whoever loses
/// the race to complete it may be late, so it must stay for them too.
///
/// It does not look at stop tokens: whoever completes it does, with a std::stop_callback that calls
/// `fail`, say.
template <typename T = void>
class completion {
 public:
  /// `where`: where the task goes on; by default on the completing thread, inside `complete`.
  explicit completion(executor where = {}) noexcept : state_(where) {}
  completion(const completion&) = delete;
  completion& operator=(const completion&) = delete;

  /// False, and no effect, if it was completed or failed before. Any thread. A value whose
  /// construction throws becomes that exception.
  template <typename U = T>
    requires(!std::is_void_v<T>)
  bool complete(U&& value) noexcept {
    if (!state_.claim()) return false;
    try {
      result_.set_value(std::forward<U>(value));
    } catch (...) {
      result_.set_error(std::current_exception());
    }
    state_.publish();
    return true;
  }
  bool complete() noexcept
    requires std::is_void_v<T>
  {
    if (!state_.claim()) return false;
    result_.set_value();
    state_.publish();
    return true;
  }
  /// The same with an exception, which leaves the `co_await`.
  bool fail(std::exception_ptr error) noexcept {
    if (!state_.claim()) return false;
    result_.set_error(std::move(error));
    state_.publish();
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
  /// Once.
  [[nodiscard]] Awaiter operator co_await() & noexcept { return Awaiter(*this); }

 private:
  async::detail::CompletionState state_;
  async::outcome<T> result_;
};

}  // namespace perigee
