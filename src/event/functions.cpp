// Posts and schedules functions.
#include "event/functions.h"

#include "event/task_list.h"
#include <perigee/base/pool.h>

#include <utility>

namespace perigee::event {

void* FunctionTask::operator new(std::size_t size) { return pool::allocate(size); }

void FunctionTask::operator delete(void* memory, std::size_t size) noexcept {
  pool::release(memory, size);
}

void FunctionTask::run(Task& task) {
  auto& self = static_cast<FunctionTask&>(task);
  Reactor::Function function = std::move(self.function_);
  delete &self;
  function();
}

void FunctionTask::drop(TaskList& tasks) noexcept {
  while (Task* const task = tasks.pop())
    if (TaskList::runs(*task, &run)) delete static_cast<FunctionTask*>(task);
}

ScheduledFunctions::~ScheduledFunctions() {
  for (const auto& slot : slots_) reactor_.cancel(*slot);
}

ScheduledFunctions::Slot& ScheduledFunctions::take_slot() {
  if (free_.empty()) {
    if (free_.capacity() == slots_.size())  // so that `release` never allocates
      free_.reserve(2 * slots_.size() + 8);
    return *slots_.emplace_back(
        std::make_unique<Slot>(*this, static_cast<std::uint32_t>(slots_.size())));
  }
  Slot& slot = *slots_[free_.back()];
  free_.pop_back();
  return slot;
}

Reactor::Function ScheduledFunctions::release(Slot& slot) noexcept {
  Reactor::Function function = std::move(slot.function);
  slot.function = nullptr;
  if (++slot.generation == 0) slot.generation = 1;
  free_.push_back(slot.index);
  return function;
}

TimerId ScheduledFunctions::schedule(TimePoint time, Reactor::Function function) {
  const std::lock_guard lock(mutex_);
  Slot& slot = take_slot();
  slot.function = std::move(function);
  reactor_.arm(slot, Deadline::at(time));
  return (TimerId{slot.generation} << 32) | slot.index;
}

bool ScheduledFunctions::cancel(TimerId timer) noexcept {
  const auto index = static_cast<std::uint32_t>(timer);
  const auto generation = static_cast<std::uint32_t>(timer >> 32);
  Reactor::Function dropped;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  if (index >= slots_.size() || slots_[index]->generation != generation) return false;
  if (!reactor_.cancel(*slots_[index])) return false;
  dropped = release(*slots_[index]);
  return true;
}

void ScheduledFunctions::fired(Timer& timer) {
  auto& slot = static_cast<Slot&>(timer);
  ScheduledFunctions& self = slot.owner;
  Reactor::Function function;
  {
    const std::lock_guard lock(self.mutex_);
    function = self.release(slot);
  }
  if (!self.reactor_.closed()) function();
}

}  // namespace perigee::event
