// task<T>: a coroutine that computes a T. It may wait without blocking a thread.
//
// A task is lazy: it begins when it is awaited or started. It runs on the thread that begins or
// resumes it. Its frame comes from the pool. The operations that tasks await are elsewhere: calls,
// sleep.h, completion.h.
#pragma once

#include <perigee/async/outcome.h>
#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/base/pool.h>

#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace perigee {

template <typename T = void>
class task;

namespace stub {
class CallHandle;
}

namespace async::detail {

/// A promise type whose tasks have stop tokens.
template <typename P>
concept HasStopToken = requires(const P& promise) {
  { promise.stop_token() } -> std::same_as<const std::stop_token&>;
};

/// A promise type whose tasks know until when their caller waits.
template <typename P>
concept HasTimeLimit = requires(const P& promise) {
  { promise.awaited_until() } -> std::same_as<Deadline>;
};

/// The stop token of a task, for the operation that it awaits.
template <typename P>
[[nodiscard]] const std::stop_token& lent_stop_token_of(const P& promise) {
  if constexpr (requires { promise.lent_stop_token(); })
    return promise.lent_stop_token();
  else
    return promise.stop_token();
}

/// The time until which the caller of a task waits, by std::chrono::steady_clock; never if the task
/// does not know it.
template <typename P>
[[nodiscard]] Deadline time_limit_of(std::coroutine_handle<P> task) noexcept {
  if constexpr (HasTimeLimit<P>)
    return task.promise().awaited_until();
  else
    return Deadline::never();
}

/// The request that a task serves: <perigee/async/serve.h>.
struct ServedRequest;

/// How a task learns that the client of its request wants it to stop. `context` is the `context`
/// that was given to `begin_apart`: the address of a ServedRequest.
struct StopAccess {
  /// Returns a token. No copy of it may be used after the task's end, because its stop state may
  /// then serve another request. In the steady state the function allocates nothing.
  std::stop_token (*token)(void* context);
  /// Allows copies of the token to be used after the task's end.
  void (*share)(void* context) noexcept;
  /// Cancels the call when the task is asked to stop, or at once if it was asked before. Needs no
  /// token. The registration of the call ends when the task waits for another call.
  void (*cancel)(void* context, stub::CallHandle& call) noexcept;
};

/// The part that the promises of all tasks share: the frame's memory, the resumption of the waiting
/// coroutine, the stop token, and the time until which the result is awaited.
class PromiseBase {
 public:
  /// Called when the task has ended; may destroy its frame.
  using Ended = void (*)(PromiseBase& promise, void* context) noexcept;

  /// The last suspension point, where the frame waits to be destroyed.
  class FinalAwaiter {
   public:
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <typename Promise>
    void await_suspend(std::coroutine_handle<Promise> frame) const noexcept {
      frame.promise().end();
    }
    void await_resume() const noexcept {}
  };

  PromiseBase() noexcept = default;
  PromiseBase(const PromiseBase&) = delete;
  PromiseBase& operator=(const PromiseBase&) = delete;

  static void* operator new(std::size_t size) { return pool::allocate(size); }
  static void operator delete(void* frame, std::size_t size) noexcept {
    pool::release(frame, size);
  }

  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] FinalAwaiter final_suspend() const noexcept { return {}; }

  /// Runs the task until it first waits. Calls `ended` once the task has ended; this may be before
  /// `begin` returns. `stop` must stay valid until the task has ended.
  void begin(std::coroutine_handle<> frame, const std::stop_token& stop, Ended ended,
             void* context) noexcept {
    stop_ = &stop;
    begin_awaited(frame, ended, context);
  }
  /// The same for one of several tasks that `parent` awaits at once.
  void begin_beside(std::coroutine_handle<> frame, const PromiseBase& parent, Ended ended,
                    void* context) noexcept {
    begin_beside(frame, parent, parent.lent_stop_token(), ended, context);
  }
  /// The same for a task whose token is `stop`.
  void begin_beside(std::coroutine_handle<> frame, const PromiseBase& parent,
                    const std::stop_token& stop, Ended ended, void* context) noexcept {
    lender_ = &parent;
    begin(frame, stop, ended, context);
  }
  /// Sets the time until which the task's result is awaited, by std::chrono::steady_clock. Called
  /// before the task begins.
  void set_awaited_until(Deadline time) noexcept { awaited_until_ = time; }
  /// Begins a task that has a token of its own.
  PERIGEE_API void begin_apart(std::coroutine_handle<> frame, std::stop_token stop, Ended ended,
                               void* context) noexcept;
  /// Begins a task whose token is made when the task first asks for it. Most tasks never ask.
  PERIGEE_API void begin_apart(std::coroutine_handle<> frame, const StopAccess& access, Ended ended,
                               void* context) noexcept;

  /// Runs the task until it first waits. Returns false if the task has ended by then, on any
  /// thread. Otherwise `parent` is resumed when the task has ended.
  ///
  /// This function does not use symmetric transfer. Without optimisation, and under sanitizers,
  /// symmetric transfer uses stack for each child that ends without waiting.
  template <typename Parent>
  [[nodiscard]] bool begin_for(std::coroutine_handle<Parent> parent,
                               std::coroutine_handle<> frame) noexcept {
    if constexpr (std::derived_from<Parent, PromiseBase>)
      borrow_stop_token(parent.promise());
    else if constexpr (HasStopToken<Parent>)
      stop_ = &parent.promise().stop_token();
    awaited_until_ = time_limit_of(parent);
    ended_ = &resume;
    context_ = parent.address();
    frame.resume();
    // This thread and the thread that ends the task both set the stage. The thread that sets it
    // second continues the parent. This object may be gone after the exchange.
    return stage_.load(std::memory_order_acquire) != Stage::ended &&
           stage_.exchange(Stage::awaited, std::memory_order_acq_rel) != Stage::ended;
  }

  /// The token. The caller may keep copies of it. Throws bad_alloc if the token cannot be made.
  [[nodiscard]] const std::stop_token& stop_token() const {
    const std::stop_token& token = lent_stop_token();
    share_stop_token();
    return token;
  }
  /// The token for the operation that this task awaits. No copy of it may be used after the wait.
  [[nodiscard]] const std::stop_token& lent_stop_token() const {
    if (stop_ == nullptr) find_stop_token();
    return *stop_;
  }
  /// Registers a call in place of a token: the call is cancelled when this task, which waits for
  /// it, is asked to stop. False if there is a token already.
  [[nodiscard]] bool stop_cancels(stub::CallHandle& call) const noexcept {
    if (stop_ != nullptr) return false;
    const PromiseBase* first = this;
    while (first->lender_ != nullptr) first = first->lender_;
    first->access_->cancel(first->context_, call);
    return true;
  }
  [[nodiscard]] Deadline awaited_until() const noexcept { return awaited_until_; }
  /// The request that this task serves, or a task that awaits it. Null if there is none.
  [[nodiscard]] const ServedRequest* served_request() const noexcept {
    const PromiseBase* first = this;
    while (first->lender_ != nullptr) first = first->lender_;
    return first->access_ != nullptr ? static_cast<const ServedRequest*>(first->context_) : nullptr;
  }

 protected:
  ~PromiseBase() = default;

 private:
  enum class Stage : std::uint8_t {
    running,  ///< `begin_for` is still inside resume()
    awaited,  ///< `begin_for` has left resume(), or was not used: the end calls `ended_`
    ended     ///< the task has ended while `begin_for` was inside resume()
  };

  void begin_awaited(std::coroutine_handle<> frame, Ended ended, void* context) noexcept {
    ended_ = ended;
    context_ = context;
    stage_.store(Stage::awaited, std::memory_order_relaxed);
    frame.resume();
  }
  static void resume(PromiseBase& /*promise*/, void* context) noexcept {
    std::coroutine_handle<>::from_address(context).resume();
  }

  void end() noexcept {
    // The load comes first, so that only one of the two threads makes an atomic exchange.
    if (stage_.load(std::memory_order_acquire) == Stage::awaited ||
        stage_.exchange(Stage::ended, std::memory_order_acq_rel) == Stage::awaited) {
      ended_(*this, context_);
    }
  }

  void borrow_stop_token(const PromiseBase& lender) noexcept {
    stop_ = lender.stop_;
    lender_ = &lender;
  }
  PERIGEE_API void find_stop_token() const;
  PERIGEE_API void share_stop_token() const noexcept;

  std::atomic<Stage> stage_ = Stage::running;
  Ended ended_ = nullptr;
  void* context_ = nullptr;
  // Null if the token is not known yet. Then the thread that runs the task sets it at the first
  // use.
  mutable const std::stop_token* stop_ = &own_stop_;
  mutable std::stop_token own_stop_;
  const PromiseBase* lender_ = nullptr;  // the awaiting task, which mostly gives the token
  const StopAccess* access_ = nullptr;   // makes the token, if there is no `lender_`
  Deadline awaited_until_;
};

/// The part of a promise that keeps the result of the task: `co_return value` or `co_return`.
template <typename T>
class PromiseResult : public PromiseBase {
 public:
  template <typename U = T>
    requires std::convertible_to<U, T>
  void return_value(U&& value) {
    result_.set_value(std::forward<U>(value));
  }

 protected:
  ~PromiseResult() = default;
  outcome<T> result_;
};
template <>
class PromiseResult<void> : public PromiseBase {
 public:
  void return_void() noexcept { result_.set_value(); }

 protected:
  ~PromiseResult() = default;
  outcome<void> result_;
};

template <typename T>
class Promise final : public PromiseResult<T> {
 public:
  using Done = void (*)(void* context, outcome<T>& result) noexcept;

  [[nodiscard]] task<T> get_return_object() noexcept;
  void unhandled_exception() noexcept { this->result_.set_error(std::current_exception()); }
  [[nodiscard]] outcome<T>& result() noexcept { return this->result_; }
  [[nodiscard]] std::coroutine_handle<Promise> frame() noexcept {
    return std::coroutine_handle<Promise>::from_promise(*this);
  }

  /// Begins the task, which from now on owns its own frame: `finish` destroys it.
  void begin_detached(std::stop_token stop, void* context, Done done) noexcept {
    done_ = done;
    this->begin_apart(frame(), std::move(stop), &finish, context);
  }
  void begin_detached(const StopAccess& access, void* context, Done done) noexcept {
    done_ = done;
    this->begin_apart(frame(), access, &finish, context);
  }

 private:
  static void finish(PromiseBase& base, void* context) noexcept {
    auto& promise = static_cast<Promise&>(base);
    promise.done_(context, promise.result());
    promise.frame().destroy();
  }

  Done done_ = nullptr;
};

/// Owns the frame of a task.
template <typename T>
class OwnedFrame {
 public:
  using Handle = std::coroutine_handle<Promise<T>>;

  OwnedFrame() noexcept = default;
  explicit OwnedFrame(Handle frame) noexcept : frame_(frame) {}
  OwnedFrame(OwnedFrame&& other) noexcept : frame_(other.release()) {}
  OwnedFrame& operator=(OwnedFrame&& other) noexcept {
    OwnedFrame taken(std::move(other));
    std::swap(frame_, taken.frame_);
    return *this;
  }
  ~OwnedFrame() {
    if (frame_) frame_.destroy();
  }

  [[nodiscard]] Handle get() const noexcept { return frame_; }
  [[nodiscard]] Promise<T>& promise() const noexcept { return frame_.promise(); }
  [[nodiscard]] Handle release() noexcept { return std::exchange(frame_, nullptr); }

 private:
  Handle frame_;
};

/// Waits for a task that it owns.
template <typename T>
class TaskAwaiter {
 public:
  explicit TaskAwaiter(OwnedFrame<T> frame) noexcept : frame_(std::move(frame)) {}
  TaskAwaiter(const TaskAwaiter&) = delete;
  TaskAwaiter& operator=(const TaskAwaiter&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Parent>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Parent> parent) noexcept {
    return frame_.promise().begin_for(parent, frame_.get());
  }
  T await_resume() { return frame_.promise().result().take(); }

 private:
  OwnedFrame<T> frame_;
};

struct TaskAccess;

/// Throws std::invalid_argument: the task was moved from, or never made.
[[noreturn]] PERIGEE_API void raise_empty_task();

}  // namespace async::detail

/// The return type of a coroutine: `task<int32_t> f(std::string name) { … co_return 1; }`. T may be
/// void, a reference, or a type that can only be moved.
///
/// `co_await f(…)` begins the task and gives its value, or throws its exception. The task inherits
/// the stop token of the awaiting task. `async::start` begins a task without an awaiting task;
/// `run` drives a task to its end. A task is awaited or started once. A task that is neither
/// awaited nor started does nothing.
///
/// Parameters belong to the frame: take them by value, unless the task is awaited in the expression
/// that made it. docs/async.md lists the forms to avoid with g++ 12.
///
/// Threads: a task runs on one thread at a time, but the operation that it awaits may resume it on
/// another thread.
template <typename T>
class [[nodiscard]] task {
 public:
  using promise_type = async::detail::Promise<T>;
  using value_type = T;

  /// An empty task. Awaiting or starting it throws std::invalid_argument.
  task() noexcept = default;
  explicit operator bool() const noexcept { return static_cast<bool>(frame_.get()); }

  [[nodiscard]] async::detail::TaskAwaiter<T> operator co_await() && {
    if (!*this) async::detail::raise_empty_task();
    return async::detail::TaskAwaiter<T>(std::move(frame_));
  }

 private:
  friend promise_type;
  friend async::detail::TaskAccess;
  explicit task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}

  async::detail::OwnedFrame<T> frame_;
};

namespace async {
namespace detail {

template <typename T>
task<T> Promise<T>::get_return_object() noexcept {
  return task<T>(frame());
}

/// Takes the frame out of a task, for the code that begins tasks.
struct TaskAccess {
  template <typename T>
  static OwnedFrame<T> take(task<T>&& work) {
    if (!work) raise_empty_task();
    return std::move(work.frame_);
  }
};

}  // namespace detail

/// Begins a task without an awaiting task, on the calling thread. Calls `done(context, outcome)`
/// once, on the thread where the task ends; this may be before `start` returns. Then the frame is
/// destroyed. Allocates nothing. The task's token is `stop`. Prefer a `scope`, which waits for its
/// tasks: this function is for code that counts its tasks itself.
template <typename T>
void start(task<T> work, std::stop_token stop, void* context,
           std::type_identity_t<void (*)(void* context, outcome<T>& result) noexcept> done) {
  detail::TaskAccess::take(std::move(work))
      .release()
      .promise()
      .begin_detached(std::move(stop), context, done);
}
/// The same with a token that is made at the first use, and a time until which the result is
/// awaited, by std::chrono::steady_clock.
template <typename T>
void start(task<T> work, const detail::StopAccess& access, Deadline awaited_until, void* context,
           std::type_identity_t<void (*)(void* context, outcome<T>& result) noexcept> done) {
  auto frame = detail::TaskAccess::take(std::move(work));
  frame.promise().set_awaited_until(awaited_until);
  frame.release().promise().begin_detached(access, context, done);
}
/// The same with a token that never requests a stop.
template <typename T>
void start(task<T> work, void* context,
           std::type_identity_t<void (*)(void* context, outcome<T>& result) noexcept> done) {
  start(std::move(work), std::stop_token(), context, done);
}

namespace detail {

class ThisStopToken {
 public:
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <HasStopToken Promise>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Promise> task) {
    token_ = task.promise().stop_token();
    return false;
  }
  [[nodiscard]] std::stop_token await_resume() noexcept { return std::move(token_); }

 private:
  std::stop_token token_;
};

}  // namespace detail
}  // namespace async

/// `const std::stop_token stop = co_await perigee::stop_token_of_this_task();`: the token that asks
/// this task to end early. An awaited task has the token of the awaiting task. Does not wait.
[[nodiscard]] inline async::detail::ThisStopToken stop_token_of_this_task() noexcept { return {}; }

}  // namespace perigee
