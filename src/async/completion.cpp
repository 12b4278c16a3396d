// Completions and executors: handing a waiting task over.
#include <perigee/async/completion.h>
#include <perigee/async/executor.h>
#include <perigee/event/reactor.h>

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
  if (waiter != nullptr) where.resume(std::coroutine_handle<>::from_address(waiter));
}

bool CompletionState::wait(std::coroutine_handle<> task) noexcept {
  void* none = nullptr;
  return waiter_.compare_exchange_strong(none, task.address(), std::memory_order_acq_rel);
}

}  // namespace async::detail
}  // namespace perigee
