// When a blocked loop gets another thread: the rules, without threads and clocks.
#pragma once

#include <perigee/base/clock.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>

namespace perigee::engine {

/// What the service thread sees of one loop at a tick.
struct LoopSample {
  std::uint32_t serving = 0;     ///< threads that serve the loop, without those known to wait
  std::uint32_t in_upcalls = 0;  ///< of these, threads that are in an upcall
  bool progressed = false;       ///< an upcall began or ended since the last tick
  bool blocked = false;          ///< none of the upcalls used half a tick of CPU time
  bool has_work = false;         ///< events, tasks or connections wait for a thread
};

/// What the plan still allows, for all loops together.
struct SpareRoom {
  std::uint32_t threads = 0;    ///< spare threads that may still be started
  std::uint32_t idle_cpus = 0;  ///< CPUs that no computing upcall occupies
};

enum class Remedy : std::uint8_t { none, spare_thread };

/// A loop is stuck if all its threads stay in their upcalls while work waits.
[[nodiscard]] constexpr bool is_stuck(const LoopSample& loop) noexcept {
  return loop.has_work && !loop.progressed && loop.in_upcalls >= loop.serving;
}

/// What helps one loop. A computing upcall gets help only if there is an idle CPU.
[[nodiscard]] constexpr Remedy remedy_for(const LoopSample& loop, const SpareRoom& room) noexcept {
  if (!is_stuck(loop) || room.threads == 0) return Remedy::none;
  if (!loop.blocked && room.idle_cpus == 0) return Remedy::none;
  return Remedy::spare_thread;
}

/// The switch of the supervisor's ticks. Ticks stop when no upcall is in progress; the next upcall
/// starts them again. Any thread.
class Ticks {
 public:
  /// After the read role was lent for an upcall, or the thread has left the poller for one. This
  /// look and the change before it are sequentially consistent. If the caller still sees ticks, the
  /// last tick sees the upcall.
  void need() noexcept {
    if (!running_.load()) [[unlikely]]
      start();
  }

 protected:
  ~Ticks() = default;
  virtual void start() noexcept = 0;
  std::atomic<bool> running_{false};
};

/// How often the service thread ticks. Used by one thread.
class TickRate {
 public:
  static constexpr std::chrono::milliseconds slow{10};
  static constexpr std::chrono::milliseconds fast{1};
  static constexpr std::chrono::seconds fast_for{1};  ///< after the last remedy

  /// The next tick after one at `now`; zero: ticking stops, since nothing was in an upcall.
  [[nodiscard]] std::chrono::milliseconds next(TimePoint now, bool idle, bool acted) noexcept {
    if (acted) {
      acted_at_ = now;
      has_acted_ = true;
    }
    if (idle) return {};
    return has_acted_ && now - acted_at_ < fast_for ? fast : slow;
  }

 private:
  bool has_acted_ = false;
  TimePoint acted_at_;
};

}  // namespace perigee::engine
