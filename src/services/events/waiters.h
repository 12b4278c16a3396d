// Tasks that wait at a queue of events.
#pragma once

#include "services/events/event.h"
#include <perigee/async/completion.h>

#include <list>
#include <memory>

namespace perigee::events {

struct Waiter;
/// Shared by the waiting task, the queue, and the thread that wakes the task.
using WaiterRef = std::shared_ptr<Waiter>;

/// One task that waits. The lock of the queue guards all members except `done`.
struct Waiter {
  completion<> done;
  EventRef event;        ///< of a supplier: the event for which it needs room
  bool has_put = false;  ///< the event is in the queue
  bool is_linked = false;
  std::list<WaiterRef>::iterator position;  ///< if it is linked
  WaiterRef next;                           ///< in a WakeList
};

/// The tasks that wait at one side of a queue. All functions but the constructor take
/// constant time.
class Waiters {
 public:
  [[nodiscard]] bool is_empty() const noexcept { return list_.empty(); }
  [[nodiscard]] const WaiterRef& first() const noexcept { return list_.front(); }
  void add_first(const WaiterRef& waiter);
  void add_last(const WaiterRef& waiter);
  /// Removes the first waiter, and returns it. Null if no task waits.
  [[nodiscard]] WaiterRef take_first() noexcept;
  /// Does nothing if the waiter is not linked.
  void remove(Waiter& waiter) noexcept;

 private:
  std::list<WaiterRef> list_;
};

/// Tasks that one thread wakes after it has released the lock of the queue. Allocates nothing.
class WakeList {
 public:
  WakeList() = default;
  WakeList(const WakeList&) = delete;
  WakeList& operator=(const WakeList&) = delete;

  /// Adds a waiter, or nothing if it is null. A waiter is added to one list only, and only once.
  void add(WaiterRef waiter) noexcept;
  /// Resumes the tasks on this thread. A resumed task may publish an event, which wakes further
  /// tasks, and so on. Beyond a depth of such calls, the tasks are resumed by the outer call, so
  /// that the stack does not grow without limit.
  void wake() noexcept;

 private:
  [[nodiscard]] WaiterRef take_first() noexcept;
  void append(WakeList& other) noexcept;

  WaiterRef first_;
  Waiter* last_ = nullptr;
};

}  // namespace perigee::events
