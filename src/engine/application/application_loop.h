// A loop without threads of its own: threads of the application run it.
#pragma once

#include "engine/loops/loop.h"
#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/base/function_ref.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace perigee::engine {

/// Any thread. At most one thread is in the loop; further threads wait until it leaves.
///
/// Invariant: running_ implies looping_; finished_ implies that no thread enters the loop any more.
class ApplicationLoop final {
 public:
  /// `ended`: set before the reactor is stopped for good. All must outlive it.
  ApplicationLoop(Loop& loop, const Clock& clock, const std::atomic<bool>& ended) noexcept
      : loop_(loop), clock_(clock), ended_(ended) {}

  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  /// Runs the loop until its end. Waits while another thread is in the loop.
  PERIGEE_INTERNAL_API void run();
  /// Runs one turn, which waits for an event until the deadline; in an upcall, a nested turn. If
  /// another thread is in the loop, waits until that thread leaves, or until the deadline; the turn
  /// then does not wait. Returns false if the calling thread did not get into the loop before the
  /// deadline, or if the loop has ended.
  PERIGEE_INTERNAL_API bool perform_work(Deadline deadline = Deadline::immediately());
  /// From now on, turns do not wait for events. Called by the thread that is in the loop, when it
  /// has closed the reactor.
  void end_waits() noexcept { waits_ended_.store(true); }
  /// Enters the loop, runs `action` and leaves the loop. Never waits: false if another thread is in
  /// the loop, or if the loop has ended. A thread that is in the loop must not call it.
  bool visit(function_ref<void()> action) noexcept;
  /// Runs turns until `done()` or the deadline, or waits while another thread runs them. `done` is
  /// called after each turn, also by the threads that wait.
  PERIGEE_INTERNAL_API void run_until(function_ref<bool()> done, Deadline deadline) noexcept;
  /// The same, but returns when another thread is in `run`, or when the loop has ended.
  PERIGEE_INTERNAL_API void run_until_run(function_ref<bool()> done, Deadline deadline) noexcept;
  /// True if no thread is in `run` and the loop has not ended. Then a thread that waits for an
  /// event of the loop has to run the loop.
  [[nodiscard]] bool needs_thread() noexcept {
    const std::lock_guard lock(mutex_);
    return !running_ && !finished_;
  }
  /// Lets the threads in `run_until` call `done` again.
  PERIGEE_INTERNAL_API void wake() noexcept;
  [[nodiscard]] PERIGEE_INTERNAL_API bool work_pending();

  /// The server was stopped before it was started: no thread enters the loop any more.
  PERIGEE_INTERNAL_API void end_unstarted() noexcept;
  /// Returns when the loop has ended. Runs the loop if no other thread does.
  PERIGEE_INTERNAL_API void await_end() noexcept;

 private:
  void turn(Deadline deadline) noexcept;
  void run_to_end() noexcept;
  /// Expects mutex_ to be held.
  [[nodiscard]] bool is_free() const noexcept { return !looping_ && !finished_; }
  enum class Entry : std::uint8_t { at_once, after_wait, refused };
  [[nodiscard]] Entry enter(Deadline deadline = Deadline::immediately()) noexcept;
  /// Expects `lock` to be held. Returns after a change, or when the deadline has passed.
  void await_change(std::unique_lock<std::mutex>& lock, Deadline deadline) noexcept;
  void leave() noexcept;
  void serve(function_ref<void()> action);
  /// What `run_until` does while another thread is in `run`.
  enum class DuringRun : std::uint8_t { wait, leave };
  void run_until(function_ref<bool()> done, Deadline deadline, DuringRun during_run) noexcept;
  void run_turns_until(function_ref<bool()> over, Deadline deadline) noexcept;

  Loop& loop_;
  const Clock& clock_;
  const std::atomic<bool>& ended_;
  std::atomic<bool> waits_ended_{false};
  std::atomic<std::uint32_t> waiting_{0};  // threads in `run_until` that are not in the loop

  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  bool looping_ = false;  // a thread is in the loop
  bool running_ = false;  // the thread in the loop stays until the loop ends
  bool finished_ = false;
};

}  // namespace perigee::engine
