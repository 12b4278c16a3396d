// The call that a request waits for is exchanged for a mark when the request is cancelled.
#include "orb/serving/cancellation.h"

namespace perigee::orb {

CancellationNotice::~CancellationNotice() {
  if (call_ != nullptr) call_->remove_owner();
}

void CancellationNotice::request_stop() noexcept {
  if (call_ != nullptr) call_->cancel();
  source_.request_stop();
}

Cancellation::~Cancellation() {
  CancellableCall* const call = call_.load();
  if (call != nullptr && call != cancelled()) call->remove_owner();
}

CancellableCall* Cancellation::cancelled() const noexcept {
  static char mark = 0;
  return reinterpret_cast<CancellableCall*>(&mark);
}

bool Cancellation::cancels(CancellableCall& call, CancellationNotice& before) noexcept {
  call.add_owner();
  CancellableCall* left = call_.load();
  while (left != cancelled() && !call_.compare_exchange_weak(left, &call)) {
  }
  const bool late = left == cancelled();
  before = CancellationNotice(std::stop_source(std::nostopstate), late ? &call : left);
  return !late;
}

CancellationNotice Cancellation::cancel() noexcept {
  CancellableCall* const call = call_.exchange(cancelled());
  const std::lock_guard lock(mutex_);
  return {source_, call != cancelled() ? call : nullptr};
}

}  // namespace perigee::orb
