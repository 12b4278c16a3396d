// What an upcall leaves behind when its answer comes later.
#include "poa/outstanding.h"

#include "orb/cancellation.h"
#include "poa/dispatcher.h"
#include <perigee/base/pool.h>

#include <cassert>

namespace perigee::poa {

// The innermost upcall of the thread is the request's: who defers does it in the skeleton.
Outstanding::Outstanding(orb::ServerRequest& request) : expected_(request.response_expected()) {
  const Upcall* const upcall = Upcall::current();
  assert(upcall == nullptr || &upcall->request() == &request);
  if (upcall != nullptr) {
    hooks_ = upcall->hooks();
    if (upcall->pin() != nullptr) {
      pin_ = upcall->pin()->share();
    } else {
      const ServedObject& object = upcall->object();
      unlisted_.emplace(object, AdapterVisit::again(object.adapter));
    }
  }
  request_.reset(request.defer());
}

// The object goes last, which may etherealize it.
void Outstanding::end() noexcept {
  std::unique_ptr<orb::ServerRequest> ended;
  {
    const std::lock_guard lock(mutex_);
    ended = std::move(request_);
  }
  if (hooks_ != nullptr && hooks_->after != nullptr) hooks_->after(hooks_->context, *ended);
  ended.reset();
  pin_.reset();
  unlisted_.reset();
}

std::stop_token Outstanding::stop_token() {
  const std::lock_guard lock(mutex_);
  orb::Cancellation* const cancellation = request_ ? request_->cancellation() : nullptr;
  return cancellation != nullptr ? cancellation->token() : std::stop_token();
}

void* Outstanding::operator new(std::size_t size) { return pool::allocate(size); }

void Outstanding::operator delete(void* memory, std::size_t size) noexcept {
  pool::release(memory, size);
}

}  // namespace perigee::poa
