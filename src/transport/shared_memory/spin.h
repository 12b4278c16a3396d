// Reading a word again and again for a short time, before a thread sleeps. Private to
// transport/shared_memory.
#pragma once

#include "event/cpus.h"
#include "ipc/futex.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace perigee::transport::shared_memory {

/// Chooses whether a thread spins. A wake from sleep takes tens of microseconds if the CPUs of both
/// sides sleep, so a spin is longer than that. After spins in vain, more and more waits do without.
/// One thread at a time.
class Spin {
 public:
  /// Whether it is worth while: on the same CPU, the peer could not run meanwhile. `peer_cpu`: the
  /// number of the CPU that the peer ran on, and 1; 0: unknown.
  [[nodiscard]] static bool can_help(const ipc::SharedWord& peer_cpu) noexcept {
    const std::uint32_t cpu = peer_cpu.load(std::memory_order_relaxed);
    return cpu != 0 && cpu != event::current_cpu() + 1;
  }
  /// Reads until `done()`, or until the time is over. Returns whether `done()` was true.
  template <typename Done>
  bool until(const Done& done) noexcept {
    if (skipped_left_ != 0) {
      --skipped_left_;
      return false;
    }
    for (std::uint32_t turn = 0; turn < turns_max; ++turn) {
      if (done()) {
        in_vain_ = 0;
        return true;
      }
      pause();
    }
    skipped_left_ = (1u << in_vain_) - 1;
    in_vain_ = std::min(in_vain_ + 1, in_vain_max);
    return false;
  }

 private:
  static constexpr std::uint32_t turns_max = 4000;  // of 10 to 50 ns
  static constexpr std::uint32_t in_vain_max = 6;   // then one wait of 64 spins

  static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    asm volatile("yield");
#endif
  }

  std::uint32_t in_vain_ = 0;  // one after the other
  std::uint32_t skipped_left_ = 0;
};

}  // namespace perigee::transport::shared_memory
