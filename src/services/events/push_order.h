// The order of the events of one supplier.
#pragma once

#include <perigee/async/completion.h>
#include <perigee/async/task.h>

#include <list>
#include <memory>
#include <mutex>

namespace perigee::events {

/// Lets the pushes of one supplier go on one at a time, in the order in which they came. Any
/// thread.
class PushOrder {
 public:
  /// Takes the turn for a push if this is possible at once. False: call `begin`, which waits.
  [[nodiscard]] bool try_begin();
  /// Waits until it is the turn of this push. False if the task is asked to stop: then `end` must
  /// not be called.
  task<bool> begin();
  /// Ends the turn of this push: the next push may go on.
  void end();

 private:
  /// The result says whether the push has its turn; otherwise its task is asked to stop.
  using Waiter = std::shared_ptr<completion<bool>>;

  /// Takes the turn, unless a push has it or waits. Waiting pushes go first, also while one of them
  /// is being resumed. Expects the lock.
  [[nodiscard]] bool take_free_turn() noexcept;

  std::mutex mutex_;  // guards the members below
  std::list<Waiter> waiting_;
  bool has_turn_ = false;    // a push goes on
  bool is_passing_ = false;  // a call of `end` gives turns to waiting pushes
};

}  // namespace perigee::events
