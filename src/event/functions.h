// Functions as tasks and timers of a reactor, for applications. A posted function takes memory from
// the pool. Private to event.
#pragma once

#include <perigee/event/reactor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace perigee::event {

class TaskList;

/// A posted function. The task deletes itself just before it calls the function.
class FunctionTask final : public Task {
 public:
  explicit FunctionTask(Reactor::Function function) : Task(&run), function_(std::move(function)) {}

  /// Deletes the tasks of the list that are functions. They do not run.
  static void drop(TaskList& tasks) noexcept;

  static void* operator new(std::size_t size);
  static void operator delete(void* memory, std::size_t size) noexcept;

 private:
  static void run(Task& task);

  Reactor::Function function_;
};

/// Functions that wait for their time. Any thread. Slots are reused, so that nothing is allocated
/// in the steady state. A `TimerId` contains the index and the generation of its slot. By the
/// generation, `cancel` recognises the id of an earlier function of the slot.
class ScheduledFunctions {
 public:
  explicit ScheduledFunctions(Reactor& reactor) noexcept : reactor_(reactor) {}
  ~ScheduledFunctions();
  ScheduledFunctions(const ScheduledFunctions&) = delete;
  ScheduledFunctions& operator=(const ScheduledFunctions&) = delete;

  TimerId schedule(TimePoint time, Reactor::Function function);
  bool cancel(TimerId timer) noexcept;

 private:
  struct Slot final : Timer {
    Slot(ScheduledFunctions& functions, std::uint32_t number) noexcept
        : Timer(&fired), owner(functions), index(number) {}

    ScheduledFunctions& owner;
    const std::uint32_t index;
    std::uint32_t generation = 1;  // never 0, so that no TimerId is 0
    Reactor::Function function;
  };

  static void fired(Timer& timer);
  [[nodiscard]] Slot& take_slot();
  [[nodiscard]] Reactor::Function release(Slot& slot) noexcept;

  Reactor& reactor_;
  std::mutex mutex_;  // guards the members below
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace perigee::event
