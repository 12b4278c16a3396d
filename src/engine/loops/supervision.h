// The rules that decide when a blocked loop gets another thread. They use no threads and no clocks,
// so tests can call them directly.
#pragma once

#include "event/task_watcher.h"
#include <perigee/base/clock.h>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace perigee::engine {

/// The state of a loop's threads since the last tick.
enum class Upcalls : std::uint8_t {
  none,         ///< no turn ended since the last tick, and a thread sleeps in the reactor
  some,         ///< a turn ended, or all threads are in turns
  short_turns,  ///< all threads are in turns, and were at the last tick
  long_turns,   ///< these turns take `slow_turn` or longer on average
  block,        ///< the loop is stuck, and its threads neither compute nor wait for a CPU
};

/// The state of one loop, which the service thread reads at each tick.
struct LoopSample {
  Upcalls upcalls = Upcalls::none;
  bool has_work = false;   ///< events, tasks or connections wait for a thread
  bool has_extra = false;  ///< threads that the supervisor added still serve the loop
};

/// If turns take less time than this, no thread blocks: the loop only has much to do.
inline constexpr std::chrono::milliseconds slow_turn{1};

/// The spare threads and idle CPUs that are left for all loops together.
struct SpareRoom {
  std::uint32_t threads = 0;    ///< spare threads that may still be started
  std::uint32_t idle_cpus = 0;  ///< CPUs that no computing upcall occupies
};

/// A loop is stuck if its threads are all in slow turns while work waits.
[[nodiscard]] constexpr bool is_stuck(const LoopSample& loop) noexcept {
  return loop.has_work && loop.upcalls >= Upcalls::long_turns;
}

/// If the upcalls compute, a spare thread helps only if there is an idle CPU.
[[nodiscard]] constexpr bool needs_spare(const LoopSample& loop, const SpareRoom& room) noexcept {
  return is_stuck(loop) && room.threads != 0 &&
         (loop.upcalls == Upcalls::block || room.idle_cpus != 0);
}

/// Starts the ticks of the supervisor again. Ticks stop when no upcall is in progress. The next
/// upcall, task or timer of a loop starts them again. Any thread.
class Ticks : public event::TaskWatcher {
 public:
  void before_task() noexcept override { need(); }
  /// Called after the thread has lent the read role for an upcall, or has left the poller. That
  /// change and the read of `running_` are sequentially consistent. So if `running_` is still set,
  /// the last tick sees the upcall.
  void need() noexcept {
    if (!running_.load()) [[unlikely]]
      start();
  }

 protected:
  ~Ticks() = default;
  virtual void start() noexcept = 0;
  std::atomic<bool> running_{false};
};

/// Decides how often the service thread ticks. Used by one thread.
class TickRate {
 public:
  static constexpr std::chrono::milliseconds slow{10};
  static constexpr std::chrono::milliseconds fast{1};
  static constexpr std::chrono::seconds fast_for{1};  ///< after a thread was added

  /// The time from the tick at `now` to the next one; zero: ticking stops, since no thread was in
  /// an upcall. `acted`: this tick has added a thread.
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
