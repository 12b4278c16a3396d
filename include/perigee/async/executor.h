// executor: chooses the thread that resumes a task after a wait. This can be the thread that ends
// the wait, a reactor's thread, or a thread of a foreign event loop.
#pragma once

#include <perigee/base/export.h>

#include <coroutine>

namespace perigee {

namespace event {
class Reactor;
}
namespace async::detail {
class CompletionState;
}

/// Holds a function that resumes tasks on a thread of its choice. The function must resume each
/// task soon, and only once. Copies call the same function. The object behind `context` must
/// outlive the tasks. Any thread may call the function.
class executor {
 public:
  using Function = void (*)(void* context, std::coroutine_handle<> task);

  /// Resumes at once, on the calling thread.
  executor() noexcept = default;
  executor(Function function, void* context) noexcept : function_(function), context_(context) {}

  [[nodiscard]] bool is_inline() const noexcept { return function_ == nullptr; }
  void resume(std::coroutine_handle<> task) const {
    if (function_ == nullptr) {
      task.resume();
    } else {
      function_(context_, task);
    }
  }

 private:
  friend class async::detail::CompletionState;
  Function function_ = nullptr;
  void* context_ = nullptr;
};

/// Resumes tasks on the reactor's thread, in a later turn. The reactor must outlive the tasks.
[[nodiscard]] PERIGEE_API executor on(event::Reactor& reactor) noexcept;

namespace async::detail {

class Switch {
 public:
  explicit Switch(executor where) noexcept : where_(where) {}
  [[nodiscard]] bool await_ready() const noexcept { return where_.is_inline(); }
  void await_suspend(std::coroutine_handle<> task) const {
    const executor where = where_;  // the task may go on before `resume` returns
    where.resume(task);
  }
  void await_resume() const noexcept {}

 private:
  executor where_;
};

}  // namespace async::detail

/// `co_await perigee::continue_on(perigee::on(reactor));`: a thread that `where` chooses resumes
/// the task.
[[nodiscard]] inline async::detail::Switch continue_on(executor where) noexcept {
  return async::detail::Switch(where);
}

}  // namespace perigee
