// Starts a deferred call, and keeps its outcome.
#include "dynamic/requests/deferred_call.h"

#include <utility>

namespace perigee::dynamic {

// The handle is of the Request alone: `ended` may run before `send` returns, but on this thread, or
// on another thread that does not use the handle.
void DeferredCall::start(const counted_ptr<DeferredCall>& call, const CORBA::Object& target,
                         std::function<void()> notify) {
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
}

void DeferredCall::ended(stub::CallOutcome& outcome) noexcept {
  const counted_ptr<DeferredCall> kept = std::move(self_);
  exception_ = outcome.decode([this](cdr::Decoder& decoder) { call_.decode(decoder); });
  if (const std::function<void()> notify = std::exchange(notify_, nullptr)) notify();
}

}  // namespace perigee::dynamic
