// Latch and LinkedStop: parts of objects that await several tasks. Private to scope.h and when.h.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <utility>

namespace perigee::async::detail {

/// Counts the tasks that have not ended. The last task that ends resumes the waiting task. The
/// waiting task counts as one, so that it is not resumed before it waits.
class Latch {
 public:
  void add(std::size_t count) noexcept { left_.fetch_add(count, std::memory_order_relaxed); }
  /// Called when a task has ended. The latch may no longer exist when the function returns.
  void count_down() noexcept {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) waiter_.resume();
  }
  /// Registers the waiting task. False if all tasks have ended: then the caller does not suspend.
  [[nodiscard]] bool wait(std::coroutine_handle<> task) noexcept {
    waiter_ = task;
    return left_.fetch_sub(1, std::memory_order_acq_rel) != 1;
  }
  /// Whether an added task has not ended yet. Call it before or after `wait`, not during it.
  [[nodiscard]] bool has_left() const noexcept { return left_.load(std::memory_order_acquire) > 1; }
  /// Prepares the latch for another wait.
  void reset() noexcept { left_.store(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> left_ = 1;
  std::coroutine_handle<> waiter_;
};

/// A stop source that is also stopped by another token.
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
  /// A stop callback may destroy the owner of the source, and with it the stop state that is
  /// calling the callback. The copy keeps the state alive.
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
