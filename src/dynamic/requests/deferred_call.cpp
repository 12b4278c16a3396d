// Starts a deferred call, and keeps its outcome.
#include "dynamic/requests/deferred_call.h"

#include <utility>

namespace perigee::dynamic {

// Another thread may run `ended` before `send` has returned the handle. So `ended` does not use the
// handle. The thread that takes the outcome after `notify_` uses it.
void DeferredCall::start(counted_ptr<DeferredCall> started, const CORBA::Object& target,
                         std::function<void()> notify) {
  const counted_ptr<DeferredCall> call = std::move(started);
  call->notify_ = std::move(notify);
  call->self_ = call;
  try {
    call->handle_ = stub::send(
        target, call->operation_.operation(),
        [&sent = *call](cdr::Encoder& encoder) { sent.call_.encode(encoder); }, *call);
  } catch (...) {
    call->self_.reset();
    throw;
  }
  call->end_step();
}

void DeferredCall::ended(stub::CallOutcome& outcome) noexcept {
  const counted_ptr<DeferredCall> kept = std::move(self_);
  exception_ = outcome.decode([this](cdr::Decoder& decoder) { call_.decode(decoder); });
  end_step();
}

void DeferredCall::end_step() noexcept {
  if (steps_left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (const std::function<void()> notify = std::exchange(notify_, nullptr)) notify();
}

}  // namespace perigee::dynamic
