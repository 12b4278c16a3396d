// Nested turns, and the replacement of threads that block.
#include "engine/connection/wait.h"

#include "engine/connection/connection.h"
#include "engine/connection/message_place.h"
#include "engine/connection/thread_frame.h"
#include "engine/loops/loop_threads.h"
#include <perigee/base/clock.h>
#include <perigee/base/log.h>

#include <exception>

namespace perigee::engine {
namespace {

/// Notices that a handle has become readable. Lives on the stack of the waiting thread, which alone
/// runs the reactor.
class ReadableFlag final : public Pollable {
 public:
  ReadableFlag(Reactor& reactor, int fd) : reactor_(reactor), added_(reactor.add(fd, *this)) {}
  ~ReadableFlag() {
    if (added_) reactor_.remove(*this);
  }
  ReadableFlag(const ReadableFlag&) = delete;
  ReadableFlag& operator=(const ReadableFlag&) = delete;
  [[nodiscard]] bool added() const noexcept { return added_.has_value(); }
  void handle_event(const Event& /*event*/) noexcept override { set_ = true; }
  [[nodiscard]] bool set() const noexcept { return set_; }

 private:
  Reactor& reactor_;
  bool set_ = false;
  const std::expected<void, IoError> added_;
};

// The waiting thread only logs an exception that the task of another connection throws.
void nested_turn(Reactor& reactor, Deadline deadline) noexcept {
  try {
    reactor.run_once(deadline);
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "engine", exception.what());
  }
}

thread_local std::uint32_t nested_waits = 0;

/// Counts a wait of the calling thread that runs nested turns.
class NestedWaits final {
 public:
  NestedWaits() noexcept { ++nested_waits; }
  ~NestedWaits() { --nested_waits; }
  NestedWaits(const NestedWaits&) = delete;
  NestedWaits& operator=(const NestedWaits&) = delete;
};

}  // namespace

void begin_nested_turns() noexcept {
  MessagePlace::leave_all();
  ThreadFrame* const frame = FrameLevel::innermost();
  if (frame != nullptr && frame->connection != nullptr)
    frame->connection->before_nested_turns(*frame);
}

// Upcalls are counted by their frames. A task that waits uses no frame, so waits are counted, too.
bool may_nest(std::uint32_t depth_max) noexcept {
  return FrameLevel::depth() <= depth_max && nested_waits < depth_max;
}

WaitEnd wait_in_turns(Loop& loop, std::uint32_t depth_max, function_ref<bool()> done,
                      Deadline deadline) {
  if (!loop.single_threaded() || !loop.on_thread()) return WaitEnd::not_here;
  if (!may_nest(depth_max)) return WaitEnd::too_deep;
  begin_nested_turns();
  const NestedWaits counted;
  const Clock& clock = loop.clock();
  while (!done()) {
    if (!deadline.is_never() && deadline.passed(clock.now())) return WaitEnd::timed_out;
    nested_turn(loop.reactor(), deadline);
  }
  return WaitEnd::done;
}

WaitEnd wait_readable_in_turns(Loop& loop, std::uint32_t depth_max, int fd, Deadline deadline) {
  if (!loop.single_threaded() || !loop.on_thread()) return WaitEnd::not_here;
  if (!may_nest(depth_max)) return WaitEnd::too_deep;
  ReadableFlag readable(loop.reactor(), fd);
  if (!readable.added()) return WaitEnd::not_here;
  return wait_in_turns(loop, depth_max, [&readable] { return readable.set(); }, deadline);
}

namespace {

/// The loop of several threads that the calling thread serves. The thread may serve it in an outer
/// scope. Null: there is no such loop.
[[nodiscard]] Loop* shared_loop_of_this_thread() noexcept {
  const Loop::Scope* scope = Loop::innermost_of_this_thread();
  while (scope != nullptr && scope->loop().single_threaded()) scope = scope->outer();
  return scope != nullptr ? &scope->loop() : nullptr;
}

[[nodiscard]] bool begin_blocking_on_loops(std::uint32_t depth_max) noexcept {
  Loop* const innermost = Loop::of_this_thread();
  if (innermost != nullptr && innermost->single_threaded() && !may_nest(depth_max)) return false;
  Loop* const shared = shared_loop_of_this_thread();
  if (shared == nullptr) return true;
  if (shared->threads() != nullptr && !shared->threads()->begin_wait()) return false;
  shared->reactor().leave();  // another thread handles what this one has marked for its next turn
  return true;
}

}  // namespace

void end_turns() noexcept {
  const Loop::Scope* scope = Loop::innermost_of_this_thread();
  for (; scope != nullptr; scope = scope->outer())
    if (scope->loop().single_threaded()) scope->loop().end_turn();
}

bool begin_blocking(std::uint32_t depth_max) noexcept {
  MessagePlace::leave_all();
  if (!begin_blocking_on_loops(depth_max)) return false;
  end_turns();
  ThreadFrame* const frame = FrameLevel::innermost();
  if (frame == nullptr) return true;
  if (frame->observes) frame->connection->call_for_replies();
  if (frame->wait == transport::Wait::yes) frame->connection->before_blocking();
  return true;
}

void end_blocking() noexcept {
  Loop* const shared = shared_loop_of_this_thread();
  if (shared != nullptr && shared->threads() != nullptr) shared->threads()->end_wait();
}

}  // namespace perigee::engine
