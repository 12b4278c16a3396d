// What awaits several tasks at once has in common. Private to scope.h and when.h.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <utility>

namespace perigee::async::detail {

/// Counts what is not yet done; whoever finishes last goes on with the waiting task. The waiter
/// counts as one, so that nothing goes on before it waits.
class Latch {
 public:
  void add(std::size_t count) noexcept { left_.fetch_add(count, std::memory_order_relaxed); }
  /// One is done. The latch may be gone when this returns.
  void count_down() noexcept {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) waiter_.resume();
  }
  /// False if nothing is left to wait for.
  [[nodiscard]] bool wait(std::coroutine_handle<> task) noexcept {
    waiter_ = task;
    return left_.fetch_sub(1, std::memory_order_acq_rel) != 1;
  }
  /// Whether something was added that is not done. To be asked before or after, not during `wait`.
  [[nodiscard]] bool has_left() const noexcept { return left_.load(std::memory_order_acquire) > 1; }
  /// To wait again.
  void reset() noexcept { left_.store(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> left_ = 1;
  std::coroutine_handle<> waiter_;
};

/// A stop source that another's token stops too.
class LinkedStop {
 public:
  LinkedStop() = default;
  explicit LinkedStop(std::stop_token outer) { link(std::move(outer)); }
  LinkedStop(const LinkedStop&) = delete;
  LinkedStop& operator=(const LinkedStop&) = delete;

  void link(std::stop_token outer) {
    if (outer.stop_possible()) outer_.emplace(std::move(outer), Request(source_));
  }
  void request() noexcept { request_stop(source_); }
  [[nodiscard]] const std::stop_token& token() const noexcept { return token_; }

 private:
  /// Callbacks may end what holds the source, and with it the state that they are called from: a
  /// copy keeps it.
  static void request_stop(std::stop_source source) noexcept {  // NOLINT(performance-*)
    source.request_stop();
  }

  class Request {
   public:
    explicit Request(std::stop_source& source) noexcept : source_(source) {}
    void operator()() const noexcept { request_stop(source_); }

   private:
    std::stop_source& source_;
  };

  std::stop_source source_;
  std::stop_token token_ = source_.get_token();
  std::optional<std::stop_callback<Request>> outer_;
};

}  // namespace perigee::async::detail
