// An event loop: of a server, or of calls that begin on threads without a loop.
#pragma once

#include "engine/loops/reactor.h"
#include "event/task_list.h"
#include <perigee/base/clock.h>
#include <perigee/base/export.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace perigee::engine {

class LoopThreads;

/// Any thread. For a loop with several threads, the timers of the engine are in the reactor of the
/// service thread, since all threads of the loop may be in upcalls. The loop's own reactor has only
/// the timers of the application's sleeping coroutines.
class Loop final {
 public:
  /// `timers`: the reactor for timers. Null: one thread serves the loop, and its own reactor also
  /// runs the timers.
  Loop(const Clock& clock, std::unique_ptr<Reactor> reactor, Reactor* timers) noexcept
      : clock_(clock),
        reactor_(std::move(reactor)),
        timers_(timers != nullptr ? *timers : *reactor_),
        single_threaded_(timers == nullptr) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
  [[nodiscard]] Reactor& reactor() noexcept { return *reactor_; }
  [[nodiscard]] Reactor& timers() noexcept { return timers_; }
  /// Only one thread ever serves this loop: a thread that waits runs nested turns.
  [[nodiscard]] bool single_threaded() const noexcept { return single_threaded_; }

  /// @name By the thread that alone serves the loop
  /// @{
  /// Runs the task at the end of the present turn, or before the thread waits. False: the task is
  /// in the list already, and runs once.
  [[nodiscard]] bool at_turn_end(Task& task) noexcept;
  /// Runs these tasks now.
  PERIGEE_INTERNAL_API void end_turn() noexcept;
  /// @}

  /// The loop's own threads; null if it has none.
  [[nodiscard]] LoopThreads* threads() const noexcept { return threads_; }
  void set_threads(LoopThreads& threads) noexcept { threads_ = &threads; }

  /// While the object exists, its thread counts as a thread that serves the loop. A thread may
  /// serve another loop in a turn of the first one, so scopes may nest.
  class Scope {
   public:
    PERIGEE_INTERNAL_API explicit Scope(Loop& loop) noexcept;
    PERIGEE_INTERNAL_API ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    [[nodiscard]] Loop& loop() const noexcept { return loop_; }
    /// Null: this is the outermost scope of the thread.
    [[nodiscard]] const Scope* outer() const noexcept { return outer_; }

   private:
    Loop& loop_;
    const Scope* const outer_;
  };
  /// The innermost scope of the calling thread; null if the thread serves no loop.
  [[nodiscard]] PERIGEE_INTERNAL_API static const Scope* innermost_of_this_thread() noexcept;
  /// The loop that the calling thread serves now; null if it serves none.
  [[nodiscard]] static Loop* of_this_thread() noexcept {
    const Scope* const innermost = innermost_of_this_thread();
    return innermost != nullptr ? &innermost->loop() : nullptr;
  }
  /// Whether the calling thread serves this loop, or serves another loop in a turn of this one.
  [[nodiscard]] PERIGEE_INTERNAL_API bool on_thread() const noexcept;

 private:
  const Clock& clock_;
  const std::unique_ptr<Reactor> reactor_;
  Reactor& timers_;
  const bool single_threaded_;
  LoopThreads* threads_ = nullptr;
  event::TaskList turn_tasks_;  // used by the thread that alone serves the loop
  event::MemberTask<Loop, &Loop::end_turn> turn_end_{*this};
};

}  // namespace perigee::engine
