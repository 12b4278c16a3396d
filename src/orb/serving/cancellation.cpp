// A request holds a pointer to the call that it waits for. Cancelling the request replaces this
// pointer by a mark.
#include "orb/serving/cancellation.h"

#include <perigee/base/short_lock.h>

#include <array>
#include <cstddef>

namespace perigee::orb {

namespace {

/// States of stop tokens that serve no request now. Any thread.
class KeptStops {
 public:
  [[nodiscard]] std::stop_source take() {
    {
      const std::lock_guard lock(lock_);
      if (count_ != 0) return std::move(kept_[--count_]);
    }
    return std::stop_source();
  }
  void keep(std::stop_source& source) noexcept {
    const std::lock_guard lock(lock_);
    if (count_ != kept_.size()) kept_[count_++].swap(source);
  }

 private:
  struct Empty : std::stop_source {
    Empty() noexcept : std::stop_source(std::nostopstate) {}
  };

  ShortLock lock_;  // guards the members below
  std::size_t count_ = 0;
  std::array<Empty, 256> kept_;  // some 10 KiB with their states
};

// Never destroyed: requests may end while the program's static objects are destroyed.
KeptStops& kept_stops() {
  static auto* const kept = new KeptStops;
  return *kept;
}

}  // namespace

CancellationNotice::~CancellationNotice() {
  if (call_ != nullptr) call_->remove_owner();
}

void CancellationNotice::request_stop() noexcept {
  if (call_ != nullptr) call_->cancel();
  source_.request_stop();
}

Cancellation::~Cancellation() {
  CancellableCall* const call = call_.load();
  if (call == cancelled()) return;
  if (call != nullptr) call->remove_owner();
  if (source_.stop_possible() && !shared_.load(std::memory_order_relaxed))
    kept_stops().keep(source_);
}

std::stop_token Cancellation::token() {
  const std::lock_guard lock(mutex_);
  if (source_.stop_possible()) return source_.get_token();
  if (!requested()) {
    source_ = kept_stops().take();
  } else {  // no callback is registered with this source yet, so none runs under the lock
    source_ = std::stop_source();
    source_.request_stop();
  }
  return source_.get_token();
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
