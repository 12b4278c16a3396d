// A lock for sections of a few instructions that threads rarely contend for. It is inline: a lock
// of the C library would cost each request a hundred instructions.
#pragma once

#include <atomic>

namespace perigee {

/// Use it with std::lock_guard. Not recursive. Never hold it over a system call or a callback.
class ShortLock final {
 public:
  ShortLock() noexcept = default;
  ShortLock(const ShortLock&) = delete;
  ShortLock& operator=(const ShortLock&) = delete;

  void lock() noexcept {
    int expected = free;
    if (!state_.compare_exchange_strong(expected, held, std::memory_order_acquire,
                                        std::memory_order_relaxed)) [[unlikely]]
      wait();
  }
  void unlock() noexcept {
    if (state_.exchange(free, std::memory_order_release) == awaited) [[unlikely]]
      state_.notify_one();
  }

 private:
  // A thread that has waited sets the state to `awaited`, not `held`, when it takes the lock: other
  // threads may still wait, so its `unlock` must wake one of them.
  [[gnu::noinline]] void wait() noexcept {
    while (state_.exchange(awaited, std::memory_order_acquire) != free)
      state_.wait(awaited, std::memory_order_relaxed);
  }

  static constexpr int free = 0;
  static constexpr int held = 1;
  static constexpr int awaited = 2;
  std::atomic<int> state_{free};
};

}  // namespace perigee
