// The threads of one loop: those of the plan, and spare threads for upcalls that wait.
#pragma once

#include "engine/loops/loop.h"
#include "engine/loops/supervision.h"
#include "event/thread_scope.h"
#include <perigee/base/clock.h>
#include <perigee/base/export.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace perigee::engine {

/// How many spare threads all loops of a server may still start. Any thread.
class SpareThreads {
 public:
  explicit SpareThreads(std::uint32_t max) noexcept : left_(max) {}

  [[nodiscard]] bool take() noexcept {
    std::uint32_t left = left_.load(std::memory_order_relaxed);
    while (left != 0)
      if (left_.compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) return true;
    return false;
  }
  void give_back() noexcept { left_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint32_t left() const noexcept {
    return left_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint32_t> left_;
};

/// Any thread. A thread that has to wait in an upcall calls `begin_wait` before. If no other thread
/// is left to serve the loop, a spare thread begins to serve. For threads that block without this
/// call, the supervisor adds extra threads. They stay while upcalls go on blocking, so that no
/// thread has to be woken each time. When more threads serve than planned and added, the next idle
/// thread steps back: it stands by as a spare thread.
///
/// Invariant: at least one thread serves, unless all threads have ended.
class LoopThreads final {
 public:
  /// How long a spare thread stays on stand-by before it ends.
  static constexpr std::chrono::milliseconds standby_time{10'000};
  /// How long the extra threads stay after `add_spares` has last added one. Then they go, one with
  /// each look.
  static constexpr std::chrono::seconds extra_time{1};

  /// `loop` and `spares` must outlive it. `planned`: the number of threads without spare threads
  /// and extra threads.
  LoopThreads(Loop& loop, std::uint32_t planned, SpareThreads& spares,
              std::chrono::milliseconds standby = standby_time) noexcept
      : loop_(loop), planned_(planned), spares_(spares), standby_(standby) {}
  ~LoopThreads() { join(); }

  /// Starts the planned threads. False if not one thread could be started.
  [[nodiscard]] PERIGEE_INTERNAL_API bool start() noexcept;
  /// Waits for all upcalls and threads. Must be called after the reactor was stopped.
  PERIGEE_INTERNAL_API void join() noexcept;

  /// Called by a thread that serves the loop, before it waits in an upcall. False if the caller is
  /// the last thread that serves, and no spare thread can be started. Waits of one thread may nest:
  /// only the outermost wait counts. `end_wait` follows if the result is true.
  [[nodiscard]] bool begin_wait() noexcept;
  void end_wait() noexcept;
  /// @name By the supervisor
  /// @{
  /// The state of the threads since the last call, which was `tick` ago.
  [[nodiscard]] PERIGEE_INTERNAL_API LoopSample look(Duration tick) noexcept;
  /// Called for a stuck loop: adds one thread, and another one for each four threads that serve it
  /// already. False if none was added: the plan allows none, or the system has none left.
  [[nodiscard]] PERIGEE_INTERNAL_API bool add_spares() noexcept;
  /// @}

  /// The number of threads without spare threads and extra threads.
  [[nodiscard]] std::uint32_t planned() const noexcept { return planned_; }
  /// The number of the calling thread in its loop, in the order of start: 0, 1, ...; 0 on other
  /// threads.
  [[nodiscard]] static std::uint32_t number_of_this_thread() noexcept;
  /// Whether the calling thread has announced that it waits, so that it takes no turn soon.
  [[nodiscard]] static bool this_thread_waits() noexcept;
  /// Threads that serve the loop, including threads that block without `begin_wait`.
  [[nodiscard]] std::uint32_t serving_count() const noexcept { return serving_count_.load(); }
  /// All threads: serving, waiting and on stand-by.
  [[nodiscard]] std::uint32_t thread_count() const noexcept;

 private:
  class Member;

  void run_thread() noexcept;
  [[nodiscard]] bool leave_as_last() noexcept;
  void serve(Member& self) noexcept;
  [[nodiscard]] bool run_turn() noexcept;
  [[nodiscard]] bool one_too_many() const noexcept;
  void lower_extra(Duration tick) noexcept;
  [[nodiscard]] bool enough_runnable() const noexcept;
  [[nodiscard]] bool step_back(Member& self);
  [[nodiscard]] bool call_spare() noexcept;
  [[nodiscard]] bool start_thread() noexcept;

  Loop& loop_;
  const std::uint32_t planned_;
  SpareThreads& spares_;
  const std::chrono::milliseconds standby_;
  // Both change under the mutex.
  std::atomic<std::uint32_t> serving_count_{0};
  std::atomic<std::uint32_t> extra_{0};  // how many threads may serve beyond the planned ones

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable wanted_;
  std::uint32_t thread_count_ = 0;
  std::uint32_t standby_count_ = 0;
  std::uint32_t started_count_ = 0;
  std::uint32_t wanted_count_ = 0;  // threads on stand-by that were called and have not noticed yet
  Member* members_ = nullptr;       // one for each thread, on its stack
  bool all_awake_seen_ = false;     // at the last look, no thread slept in the reactor
  Duration since_remedy_{};
  bool stopping_ = false;

  event::ThreadScope threads_;  // last: its threads use all the rest
};

}  // namespace perigee::engine
