// Completions and executors: how a waiting task is resumed.
#include "orb/context/upcall_scope.h"
#include "orb/core/orb_core.h"
#include <perigee/async/completion.h>
#include <perigee/async/executor.h>
#include <perigee/event/reactor.h>

#include <stdexcept>

namespace perigee {

executor on(event::Reactor& reactor) noexcept {
  return executor(
      [](void* context, std::coroutine_handle<> task) {
        static_cast<event::Reactor*>(context)->post([task] { task.resume(); });
      },
      &reactor);
}

namespace async::detail {

void CompletionState::publish() noexcept {
  const executor where = where_;
  void* const waiter = waiter_.exchange(this, std::memory_order_acq_rel);
  if (waiter == nullptr) return;
  const auto task = std::coroutine_handle<>::from_address(waiter);
  // The resumed task has another caller and another time limit than the task that completes it.
  const orb::UpcallScope none(orb::UpcallScope::None::upcall);
  where.resume(task);
}

bool CompletionState::wait(std::coroutine_handle<> task) {
  void* before = nullptr;
  if (waiter_.compare_exchange_strong(before, task.address(), std::memory_order_acq_rel))
    return true;
  if (before != this)
    throw std::logic_error("a call, or a completion, can be awaited by one task only");
  return false;
}

}  // namespace async::detail
}  // namespace perigee
