// Completions and executors: how a waiting task is resumed.
#include "orb/context/thread_slots.h"
#include "orb/context/upcall_scope.h"
#include "orb/core/orb_core.h"
#include <perigee/async/completion.h>
#include <perigee/async/executor.h>
#include <perigee/event/reactor.h>

#include <stdexcept>
#include <utility>

namespace perigee {

namespace {

void resume_on_reactor(void* context, std::coroutine_handle<> task) {
  event::Reactor& reactor = *static_cast<event::Reactor*>(context);
  if (!orb::slots_in_use.load(std::memory_order_relaxed))
    return reactor.post([task] { task.resume(); });
  reactor.post([task, slots = orb::thread_slots()] {
    const orb::SlotScope scope(slots);
    task.resume();
  });
}

}  // namespace

executor on(event::Reactor& reactor) noexcept { return executor(&resume_on_reactor, &reactor); }

namespace async::detail {

void CompletionState::publish() noexcept {
  const executor where = where_;
  void* const waiter = waiter_.exchange(this, std::memory_order_acq_rel);
  if (waiter == nullptr) return;
  const auto task = std::coroutine_handle<>::from_address(waiter);
  // The resumed task has another caller and another time limit than the code that sets the result.
  const orb::UpcallScope none(orb::UpcallScope::None::upcall);
  if (!orb::slots_in_use.load(std::memory_order_relaxed)) return where.resume(task);
  const orb::SlotScope scope(std::move(slots_));
  where.resume(task);
}

void ResumeTask::resume(Task& task) {
  auto& self = static_cast<ResumeTask&>(task);
  if (!orb::slots_in_use.load(std::memory_order_relaxed)) return self.waiter.resume();
  const orb::SlotScope scope(std::move(self.slots));
  self.waiter.resume();
}

// `resume_task` lives until the resumed task has taken the result.
void CompletionState::publish(ResumeTask& resume_task) noexcept {
  if (where_.function_ != &resume_on_reactor) return publish();
  auto& reactor = *static_cast<event::Reactor*>(where_.context_);
  void* const waiter = waiter_.exchange(this, std::memory_order_acq_rel);
  if (waiter == nullptr) return;
  resume_task.waiter = std::coroutine_handle<>::from_address(waiter);
  resume_task.slots = std::move(slots_);
  (void)reactor.post(resume_task);
}

bool CompletionState::wait(std::coroutine_handle<> task) {
  if (orb::slots_in_use.load(std::memory_order_relaxed)) slots_ = orb::thread_slots();
  void* before = nullptr;
  if (waiter_.compare_exchange_strong(before, task.address(), std::memory_order_acq_rel))
    return true;
  if (before != this)
    throw std::logic_error("a call, or a completion, can be awaited by one task only");
  return false;
}

}  // namespace async::detail
}  // namespace perigee
