// call<T>: a call that was started. A task awaits its result, or a thread waits for it. Generated
// coroutine clients (…Async.h) return it.
#pragma once

#include <perigee/async/completion.h>
#include <perigee/async/outcome.h>
#include <perigee/async/task.h>
#include <perigee/base/export.h>
#include <perigee/base/pool.h>
#include <perigee/orb/async_stub.h>
#include <perigee/orb/orb.h>

#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace perigee {

namespace async::detail {

/// Holds the outcome of a call. Counts its owners: the `call` object and, until the call has ended,
/// the ORB.
template <typename T>
class CallState final : public stub::CallObserver {
 public:
  using Decode = T (*)(cdr::Decoder& results);

  explicit CallState(Decode decode) noexcept : decode_(decode) {}
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;

  static void* operator new(std::size_t size) { return pool::allocate(size); }
  static void operator delete(void* memory, std::size_t size) noexcept {
    pool::release(memory, size);
  }

  void remove_owner() noexcept {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  void ended(stub::CallOutcome& outcome) noexcept override {
    std::exception_ptr failure;
    if constexpr (std::is_void_v<T>) {
      failure = outcome.decode(decode_ != nullptr ? stub::ResultDecoder(decode_) : nullptr);
      if (!failure) result.set_value();
    } else {
      const auto read = [this](cdr::Decoder& results) { result.set_value(decode_(results)); };
      failure = outcome.decode(read);
    }
    if (failure) result.set_error(std::move(failure));
    over.publish();
    remove_owner();
  }

  outcome<T> result;
  CompletionState over{executor()};
  stub::CallHandle handle;  ///< cancels the call, or waits for it

 private:
  const Decode decode_;
  std::atomic<std::uint32_t> owners_{2};
};

/// BAD_INV_ORDER: the call was moved from, or never started.
[[noreturn]] PERIGEE_API void raise_empty_call();

}  // namespace async::detail

/// A call in progress, or its result. Several calls can run at the same time:
///
///     call<int32_t> ibm = quoter->_async().get_quote("IBM");
///     call<int32_t> dec = quoter->_async().get_quote("DEC");
///     const int32_t first = co_await ibm;
///
/// g++ 12 compiles some statements with co_await wrongly: docs/async.md lists the forms to avoid.
/// The call takes no coroutine frame and no thread. It keeps a reference to the called object until
/// it has ended. Destroying this object cancels the call (see `stub::CallHandle::cancel`). One
/// thread at a time may use it.
template <typename T = void>
class [[nodiscard]] call {
  using State = async::detail::CallState<T>;

 public:
  using value_type = T;

  /// Makes an empty call. Awaiting it, or waiting for it, raises BAD_INV_ORDER.
  call() noexcept = default;
  /// For `start_call`.
  explicit call(State& state) noexcept : state_(&state) {}
  call(call&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  call& operator=(call&& other) noexcept {
    call taken(std::move(other));
    std::swap(state_, taken.state_);
    return *this;
  }
  ~call() {
    if (state_ == nullptr) return;
    cancel();
    state_->handle = {};
    state_->remove_owner();
  }

  explicit operator bool() const noexcept { return state_ != nullptr; }
  /// True if there is nothing to wait for: the result has arrived, or the call is empty.
  [[nodiscard]] bool is_over() const noexcept {
    return state_ == nullptr || state_->over.is_over();
  }
  /// Asks the call to end with NO_RESPONSE, unless it has ended. Does not block.
  void cancel() noexcept {
    if (!is_over()) state_->handle.cancel();
  }
  /// Blocks until the call has ended, and gives its result or throws its exception. May be called
  /// once. Drives the ORB's asynchronous calls meanwhile, if no other thread does. A task must not
  /// call `get`: a task awaits the call instead.
  T get() {
    State& state = started();
    state.handle.wait();
    return state.result.take();
  }

  /// Gives the result or throws the call's exception; may be awaited once. If the awaiting task is
  /// asked to stop, the call is cancelled. If the task's own caller waits for a limited time, the
  /// call has the same limit. The call ends with TIMEOUT when this time has passed. The thread that
  /// drives the call resumes the task. In a servant under thread strategy reactive, this is the
  /// thread of the server's loop.
  class Awaiter {
   public:
    explicit Awaiter(State& state) noexcept : state_(state) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;

    [[nodiscard]] bool await_ready() const noexcept { return state_.over.is_over(); }
    template <typename Task>
    [[nodiscard]] bool await_suspend(std::coroutine_handle<Task> task) {
      if constexpr (async::detail::HasStopToken<Task>) follow_stop(task.promise());
      state_.handle.limit_time(async::detail::time_limit_of(task));
      return state_.over.wait(task);
    }
    T await_resume() {
      stop_.reset();
      return state_.result.take();
    }

   private:
    struct Cancel {
      State& state;
      void operator()() const noexcept { state.handle.cancel(); }
    };

    template <typename Promise>
    void follow_stop(const Promise& promise) {
      if constexpr (std::derived_from<Promise, async::detail::PromiseBase>)
        if (promise.stop_cancels(state_.handle)) return;
      const std::stop_token& stop = async::detail::lent_stop_token_of(promise);
      if (stop.stop_possible()) stop_.emplace(stop, Cancel{state_});
    }

    State& state_;
    std::optional<std::stop_callback<Cancel>> stop_;
  };
  [[nodiscard]] Awaiter operator co_await() const { return Awaiter(started()); }

 private:
  [[nodiscard]] State& started() const {
    if (state_ == nullptr) async::detail::raise_empty_call();
    return *state_;
  }

  State* state_ = nullptr;  // counted
};

namespace async {

/// Starts a call of an operation, for generated coroutine clients. `decode` reads the results; it
/// may be null if T is void. `operation` must outlive the call. Raises the exceptions of
/// `stub::send`; all later errors are in the result.
template <typename T>
call<T> start_call(const CORBA::Object& target, const stub::Operation& operation,
                   stub::Arguments arguments,
                   std::type_identity_t<T (*)(cdr::Decoder& results)> decode) {
  auto* const state = new detail::CallState<T>(decode);
  struct Guard {  // drops the ORB's ownership, if `send` fails
    detail::CallState<T>* state;
    ~Guard() {
      if (state != nullptr) state->remove_owner();
    }
  } guard{state};
  call<T> started(*state);
  state->handle = stub::send(target, operation, std::move(arguments), *state);
  guard.state = nullptr;
  return started;
}

namespace detail {

/// The result of a task that a thread waits for in `run`. The thread and the task both own this
/// object, since an exception may end the wait before the task ends.
template <typename T>
class Running final {
 public:
  explicit Running(CORBA::object_reference<CORBA::ORB> where) : orb(std::move(where)) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  static void ended(void* context, outcome<T>& result) noexcept {
    auto* const running = static_cast<Running*>(context);
    running->result = std::move(result);
    running->over.store(true);
    stub::wake_drivers(*running->orb);
    running->remove_owner();
  }
  void add_owner() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
  void remove_owner() noexcept {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  const CORBA::object_reference<CORBA::ORB> orb;
  outcome<T> result;
  std::atomic<bool> over{false};

 private:
  std::atomic<std::uint32_t> owners_{1};
};

}  // namespace detail
}  // namespace async

/// Begins the task on the calling thread, and returns when the task has ended. Meanwhile the thread
/// drives the ORB's asynchronous calls, or waits for the thread that drives them. Gives the task's
/// value, or throws its exception. Raises NO_RESOURCES if too many calls of this function, and
/// upcalls that wait for replies, are nested on this thread. COMPLETED_NO then means that the task
/// did not begin. COMPLETED_MAYBE means that the task has begun, and goes on after this function
/// has thrown.
template <typename T>
T run(const CORBA::object_reference<CORBA::ORB>& orb, task<T> work, std::stop_token stop = {}) {
  if (!work) async::detail::raise_empty_task();
  using Running = async::detail::Running<T>;
  auto* const running = new Running(orb);
  struct Guard {
    Running* running;
    ~Guard() { running->remove_owner(); }
  } const guard{running};
  const auto begin = [&] {
    running->add_owner();
    async::start(std::move(work), std::move(stop), running, &Running::ended);
  };
  stub::drive_until(*orb, begin, [running] { return running->over.load(); });
  return running->result.take();
}

}  // namespace perigee
