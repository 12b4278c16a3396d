// The short waits of a thread before it sleeps. The thread reads a word again and again, or lets
// the peer run on the CPU that both share. Private to transport/shared_memory.
#pragma once

#include "event/cpus.h"
#include "ipc/futex.h"
#include <perigee/base/clock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace perigee::transport::shared_memory {

/// The CPU of the peer when it last used a ring, compared with that of the calling thread.
enum class PeerPlace : std::uint8_t {
  unknown,
  same_cpu,  ///< the peer cannot run while the calling thread does
  other_cpu,
};

/// `peer_cpu`: the number of the CPU that the peer ran on, plus 1; 0: unknown.
[[nodiscard]] inline PeerPlace place_of(const ipc::SharedWord& peer_cpu) noexcept {
  const std::uint32_t cpu = peer_cpu.load(std::memory_order_relaxed);
  if (cpu == 0) return PeerPlace::unknown;
  return cpu == event::current_cpu() + 1 ? PeerPlace::same_cpu : PeerPlace::other_cpu;
}

/// For a peer on another CPU. Chooses whether a thread spins. A wake from sleep takes tens of
/// microseconds if the CPUs of both sides sleep, so a spin is longer than that. After spins in
/// vain, more and more waits do not spin. One thread at a time.
class Spin {
 public:
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
  static constexpr std::uint32_t in_vain_max = 6;   // then one of 64 waits spins

  static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    asm volatile("yield");
#endif
  }

  std::uint32_t in_vain_ = 0;  // since the last success
  std::uint32_t skipped_left_ = 0;
};

/// For a peer on the same CPU. Yields, that is, gives the CPU away once, which costs half as much
/// as a sleep and a wake. A yield helps only if the peer is the next to run, and its answer comes
/// soon. After yields in vain, more and more waits do not yield. A slow yield has given a time
/// slice of some milliseconds to another process that wants the CPU, or the peer works for long.
/// Then no wait yields for a thousand times as long, so slow yields take about 0.1 % of the time.
/// One thread at a time.
class Yield {
 public:
  explicit Yield(const Clock& clock = steady_clock()) noexcept : clock_(clock) {}

  /// Gives the CPU away, and then returns `done()`. After yields in vain, may do neither, and
  /// return false.
  template <typename Done>
  bool until(const Done& done) noexcept {
    return until(done, [] { std::this_thread::yield(); });
  }
  /// The same with a function in place of the system call.
  template <typename Done, typename GiveAway>
  bool until(const Done& done, const GiveAway& give_away) noexcept {
    if (skipped_left_ != 0) {
      --skipped_left_;
      return false;
    }
    const TimePoint before = clock_.now();
    if (before < resumes_) return false;
    give_away();
    const bool is_done = done();
    const TimePoint after = clock_.now();
    if (after - before >= slow) resumes_ = after + pause_factor * (after - before);
    in_vain_ = is_done ? 0 : std::min(in_vain_ + 1, in_vain_max);
    skipped_left_ = (1u << in_vain_) - 1;
    return is_done;
  }

 private:
  static constexpr Duration slow = std::chrono::microseconds(500);
  static constexpr int pause_factor = 1000;
  static constexpr std::uint32_t in_vain_max = 6;  // then one of 64 waits yields

  const Clock& clock_;
  TimePoint resumes_;          // after a slow yield
  std::uint32_t in_vain_ = 0;  // since the last success
  std::uint32_t skipped_left_ = 0;
};

/// How one direction waits before it sleeps. One thread at a time.
class BriefWait {
 public:
  /// Waits as the place of the peer requires. Returns whether `done()` was true. If the place
  /// is unknown, or if this wait is skipped after waits in vain, returns false and does not call
  /// `done`.
  template <typename Done>
  bool until(PeerPlace place, const Done& done) noexcept {
    switch (place) {
      case PeerPlace::same_cpu:
        return yield_.until(done);
      case PeerPlace::other_cpu:
        return spin_.until(done);
      case PeerPlace::unknown:
        break;
    }
    return false;
  }

 private:
  Spin spin_;
  Yield yield_;
};

}  // namespace perigee::transport::shared_memory
