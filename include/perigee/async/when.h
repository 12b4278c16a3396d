// when_all and when_any: one task awaits several tasks at once.
#pragma once

#include <perigee/async/latch.h>
#include <perigee/async/task.h>

#include <atomic>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace perigee {

namespace async::detail {

template <typename T>
using NonVoid = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <typename T>
NonVoid<T> take_non_void(outcome<T>& result) {
  if constexpr (std::is_void_v<T>) {
    result.take();
    return {};
  } else {
    return result.take();
  }
}

/// The stop token of the awaiting task. If the awaiting coroutine has no stop token, the result is
/// a token that never requests a stop.
template <typename Parent>
const std::stop_token& parents_token(std::coroutine_handle<Parent> parent) {
  if constexpr (HasStopToken<Parent>) {
    return lent_stop_token_of(parent.promise());
  } else {
    static const std::stop_token none;
    return none;
  }
}

/// Begins tasks and waits until all have ended.
class All {
 public:
  /// Begins the task of `frame`. `parent`: the awaiting coroutine. `stop`: its stop token.
  template <typename T, typename Parent>
  void begin(OwnedFrame<T>& frame, std::coroutine_handle<Parent> parent,
             const std::stop_token& stop) noexcept {
    latch_.add(1);
    Promise<T>& promise = frame.promise();
    promise.set_awaited_until(time_limit_of(parent));
    if constexpr (std::derived_from<Parent, PromiseBase>)
      promise.begin_beside(frame.get(), parent.promise(), &ended, &latch_);
    else
      promise.begin(frame.get(), stop, &ended, &latch_);
  }
  [[nodiscard]] bool wait(std::coroutine_handle<> parent) noexcept { return latch_.wait(parent); }

 private:
  static void ended(PromiseBase& /*promise*/, void* latch) noexcept {
    static_cast<Latch*>(latch)->count_down();
  }

  Latch latch_;
};

/// Begins tasks. When a task has ended with a value, stops the other tasks. Waits until all have
/// ended.
class Any {
 public:
  void link(const std::stop_token& outer) { stop_.link(outer); }
  template <typename T, typename Parent>
  void begin(OwnedFrame<T>& frame, std::coroutine_handle<Parent> parent) noexcept {
    latch_.add(1);
    Promise<T>& promise = frame.promise();
    promise.set_awaited_until(time_limit_of(parent));
    if constexpr (std::derived_from<Parent, PromiseBase>)
      promise.begin_beside(frame.get(), parent.promise(), stop_.token(), &ended<T>, this);
    else
      promise.begin(frame.get(), stop_.token(), &ended<T>, this);
  }
  [[nodiscard]] bool wait(std::coroutine_handle<> parent) noexcept { return latch_.wait(parent); }
  /// Valid after the wait: whether this task won. If no task has won, all have failed.
  template <typename T>
  [[nodiscard]] bool is_winner(const OwnedFrame<T>& frame) const noexcept {
    return winner_.load(std::memory_order_relaxed) == &frame.promise();
  }

 private:
  template <typename T>
  static void ended(PromiseBase& promise, void* self) noexcept {
    Any& any = *static_cast<Any*>(self);
    PromiseBase* none = nullptr;
    if (static_cast<Promise<T>&>(promise).result().has_value() &&
        any.winner_.compare_exchange_strong(none, &promise, std::memory_order_relaxed)) {
      any.stop_.request();
    }
    any.latch_.count_down();
  }

  Latch latch_;
  LinkedStop stop_;
  std::atomic<PromiseBase*> winner_ = nullptr;
};

template <typename... Ts>
class WhenAll {
 public:
  explicit WhenAll(task<Ts>&&... work) : frames_(TaskAccess::take(std::move(work))...) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Parent>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Parent> parent) {
    const std::stop_token& stop = parents_token(parent);
    std::apply([&](auto&... frames) { (all_.begin(frames, parent, stop), ...); }, frames_);
    return all_.wait(parent);
  }
  std::tuple<NonVoid<Ts>...> await_resume() {
    return std::apply(
        [](auto&... frames) {
          return std::tuple<NonVoid<Ts>...>{take_non_void(frames.promise().result())...};
        },
        frames_);
  }

 private:
  std::tuple<OwnedFrame<Ts>...> frames_;
  All all_;
};

template <typename T>
std::vector<OwnedFrame<T>> take_all(std::vector<task<T>>&& work) {
  std::vector<OwnedFrame<T>> frames;
  frames.reserve(work.size());
  for (task<T>& one : work) frames.push_back(TaskAccess::take(std::move(one)));
  return frames;
}

template <typename T>
class WhenAllOf {
 public:
  explicit WhenAllOf(std::vector<task<T>>&& work) : frames_(take_all(std::move(work))) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Parent>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Parent> parent) {
    const std::stop_token& stop = parents_token(parent);
    for (OwnedFrame<T>& frame : frames_) all_.begin(frame, parent, stop);
    return all_.wait(parent);
  }
  auto await_resume() {
    if constexpr (std::is_void_v<T>) {
      for (OwnedFrame<T>& frame : frames_) frame.promise().result().take();
    } else {
      std::vector<T> results;
      results.reserve(frames_.size());
      for (OwnedFrame<T>& frame : frames_) results.push_back(frame.promise().result().take());
      return results;
    }
  }

 private:
  std::vector<OwnedFrame<T>> frames_;
  All all_;
};

template <typename... Ts>
class WhenAny {
 public:
  using Result = std::variant<NonVoid<Ts>...>;
  explicit WhenAny(task<Ts>&&... work) : frames_(TaskAccess::take(std::move(work))...) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Parent>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Parent> parent) {
    any_.link(parents_token(parent));
    std::apply([&](auto&... frames) { (any_.begin(frames, parent), ...); }, frames_);
    return any_.wait(parent);
  }
  Result await_resume() { return take<0>(); }

 private:
  template <std::size_t Index>
  Result take() {
    if constexpr (Index == sizeof...(Ts)) {
      // All have failed: throws the exception of the first task.
      std::rethrow_exception(std::get<0>(frames_).promise().result().error());
    } else {
      auto& frame = std::get<Index>(frames_);
      if (!any_.is_winner(frame)) return take<Index + 1>();
      return Result(std::in_place_index<Index>, take_non_void(frame.promise().result()));
    }
  }

  std::tuple<OwnedFrame<Ts>...> frames_;
  Any any_;
};

}  // namespace async::detail

/// The index of the task that won, and its value (std::monostate for void).
template <typename T>
class winner {
 public:
  using value_type = async::detail::NonVoid<T>;
  winner(std::size_t index, value_type value) : index_(index), value_(std::move(value)) {}

  [[nodiscard]] std::size_t index() const noexcept { return index_; }
  [[nodiscard]] const value_type& value() const& noexcept { return value_; }
  [[nodiscard]] value_type& value() & noexcept { return value_; }
  [[nodiscard]] value_type&& value() && noexcept { return std::move(value_); }

 private:
  std::size_t index_;
  value_type value_;
};

namespace async::detail {

template <typename T>
class WhenAnyOf {
 public:
  explicit WhenAnyOf(std::vector<task<T>>&& work) : frames_(take_all(std::move(work))) {
    if (frames_.empty()) throw std::invalid_argument("when_any: no tasks");
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Parent>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<Parent> parent) {
    any_.link(parents_token(parent));
    for (OwnedFrame<T>& frame : frames_) any_.begin(frame, parent);
    return any_.wait(parent);
  }
  winner<T> await_resume() {
    for (std::size_t index = 0; index != frames_.size(); ++index) {
      OwnedFrame<T>& frame = frames_[index];
      if (any_.is_winner(frame)) {
        return winner<T>(index, take_non_void(frame.promise().result()));
      }
    }
    std::rethrow_exception(frames_.front().promise().result().error());
  }

 private:
  std::vector<OwnedFrame<T>> frames_;
  Any any_;
};

}  // namespace async::detail

/// `auto [a, b] = co_await when_all(f(), g());`: begins all tasks in turn and waits until all have
/// ended. The awaiting task continues on the thread where the last task ended. Gives the values of
/// the tasks, std::monostate for void. If tasks fail, throws the exception of the first failed task
/// in the list; the other tasks are not stopped (a `scope` can stop them). The tasks inherit the
/// awaiting task's stop token. Allocates nothing but the frames.
template <typename... Ts>
  requires(sizeof...(Ts) > 0)
[[nodiscard]] async::detail::WhenAll<Ts...> when_all(task<Ts>... work) {
  return async::detail::WhenAll<Ts...>(std::move(work)...);
}
/// The same for any number of tasks: gives a vector of their values, or nothing for void.
template <typename T>
  requires(!std::is_reference_v<T>)
[[nodiscard]] async::detail::WhenAllOf<T> when_all(std::vector<task<T>> work) {
  return async::detail::WhenAllOf<T>(std::move(work));
}

/// `auto first = co_await when_any(f(), g());`: begins all tasks in turn. The first task that ends
/// with a value wins, and the other tasks are asked to stop. The await ends when all tasks have
/// ended, so no task outlives it. Gives a variant: its index is the winner's place in the list, and
/// it holds the winner's value. A failed task does not win; if all fail, throws the exception of
/// the first task in the list. Allocates once, for the stop state.
template <typename... Ts>
  requires(sizeof...(Ts) > 0)
[[nodiscard]] async::detail::WhenAny<Ts...> when_any(task<Ts>... work) {
  return async::detail::WhenAny<Ts...>(std::move(work)...);
}
/// The same for any number of tasks. Throws std::invalid_argument if there are no tasks. Gives a
/// `winner<T>`.
template <typename T>
  requires(!std::is_reference_v<T>)
[[nodiscard]] async::detail::WhenAnyOf<T> when_any(std::vector<task<T>> work) {
  return async::detail::WhenAnyOf<T>(std::move(work));
}

}  // namespace perigee
