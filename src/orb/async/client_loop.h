// The loop of the asynchronous calls that begin on threads without a loop.
#pragma once

#include "engine/application/application_loop.h"
#include "engine/loops/loop.h"
#include "engine/loops/wake_task.h"
#include "orb/async/loop_calls.h"
#include <perigee/base/deadline.h>
#include <perigee/base/function_ref.h>
#include <perigee/event/reactor.h>
#include <perigee/event/task.h>

#include <atomic>
#include <memory>

namespace perigee::orb {

struct OrbContext;

/// Any thread. The loop has no thread of its own. A thread runs it while the thread is in ORB::run
/// or ORB::perform_work, or waits for a call. A server's loop that the application runs also
/// runs this loop. A thread that only starts calls sends their requests. It tells an observer only
/// if a collocated servant has replied at once.
class ClientLoop final {
 public:
  /// Raises NO_RESOURCES if there is no handle for a reactor.
  ClientLoop(const OrbContext& context, engine::Connects& connects);
  ~ClientLoop();
  ClientLoop(const ClientLoop&) = delete;
  ClientLoop& operator=(const ClientLoop&) = delete;

  [[nodiscard]] LoopCalls& calls() noexcept { return calls_; }
  [[nodiscard]] const LoopCalls& calls() const noexcept { return calls_; }
  [[nodiscard]] event::Reactor& reactor() noexcept { return loop_.reactor(); }
  /// Whether the calling thread runs the loop.
  [[nodiscard]] bool on_thread() const noexcept { return loop_.on_thread(); }

  /// Runs the loop, or waits for the thread that runs it, until `done()` or the deadline. `done` is
  /// called after each turn, and after each `wake`. False if `nested_upcall_depth_max` waits of
  /// this thread are in the loop already.
  [[nodiscard]] bool drive_until(function_ref<bool()> done, Deadline until = {});
  /// Handles the events that have come, and does not block. Returns false for the same reason as
  /// `drive_until`.
  [[nodiscard]] bool turn();
  /// Does the same as ApplicationLoop::perform_work, and the work that other threads have posted.
  bool perform_work(Deadline until = Deadline::immediately());
  [[nodiscard]] bool work_pending();
  /// Lets the threads in `drive_until` call `done` again.
  void wake() noexcept;
  /// From now on `outer` also runs this loop. Called on a thread of `outer`.
  void nest_in(event::Reactor& outer);
  [[nodiscard]] bool is_nested() const noexcept { return nested_.load() != nullptr; }
  /// Called before a thread in this loop runs nested turns of the outer loop. These turns also do
  /// the work that the thread has not yet done in this loop.
  void tell_outer_loop() noexcept;
  /// Ends all calls with BAD_INV_ORDER, and all connections. Returns when the observers have been
  /// told. If the calling thread runs the loop, the observers of its current turns are told later.
  void stop() noexcept;

 private:
  /// Runs the loop when it has something to do, as a part of an outer loop.
  class Nested final : public event::EventHandler {
   public:
    Nested(ClientLoop& loop, event::Reactor& outer) noexcept : loop_(loop), outer_(outer) {}
    ~Nested() { outer_.remove(*this); }  // a thread may have marked this as ready after `end`
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    [[nodiscard]] bool begin();
    void end() noexcept { outer_.remove(*this); }
    void look_again() noexcept { outer_.mark_ready(*this); }
    void handle_ready(event::Readiness readiness) noexcept override;

   private:
    ClientLoop& loop_;
    event::Reactor& outer_;
  };

  void do_posted() noexcept;
  void after_turns() noexcept;
  void close() noexcept;

  const OrbContext& context_;
  engine::Loop loop_;
  const std::atomic<bool> never_ends_{false};
  engine::ApplicationLoop runner_;
  LoopCalls calls_;
  engine::WakeTask wake_task_;
  event::MemberTask<ClientLoop, &ClientLoop::close> close_task_{*this};
  std::unique_ptr<Nested> owned_nested_;  // made by the outer loop's thread
  std::atomic<Nested*> nested_{nullptr};
  std::atomic<bool> missed_{false};  // the outer loop has found another thread in this loop
  std::atomic<bool> closed_{false};
};

}  // namespace perigee::orb
