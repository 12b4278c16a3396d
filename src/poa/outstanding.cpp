// The state of an upcall that stays until its deferred reply is sent.
#include "poa/outstanding.h"

#include "orb/context/own_contexts.h"
#include "orb/core/orb_core.h"
#include "orb/serving/cancellation.h"
#include "orb/values/system_exceptions.h"
#include "poa/context_copies.h"
#include <perigee/base/pool.h>
#include <perigee/orb/async_stub.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace perigee::poa {

namespace {

bool is_kept(const iop::ServiceContext& context) noexcept {
  return !orb::is_context_of_orb(context.id);
}

// The memory of the copies counts as memory of decoded values, from the first octet: a client may
// have very many deferred requests at a time.
cdr::PinCharge charge_contexts(orb::ServerRequest& request, std::uint64_t octets) {
  cdr::PinCharge charge(request.arguments().environment());
  if (!charge.try_charge(octets))
    throw CORBA::TRANSIENT(orb::minor_decoded_too_many, CORBA::COMPLETED_NO,
                           "no memory for the service contexts of a deferred request; "
                           "-ORBDecodedTotalSizeMax limits this memory");
  return charge;
}

}  // namespace

// Called by the skeleton in the upcall of the request. So the thread's current upcall, if there is
// one, is the upcall of the request.
Outstanding::Outstanding(orb::ServerRequest& request) : expected_(request.response_expected()) {
  keep_contexts(request);
  const Upcall* const upcall = Upcall::current();
  assert(upcall == nullptr || &upcall->request() == &request);
  if (upcall != nullptr) {
    if (upcall->pin() != nullptr) {
      pin_ = upcall->pin()->share();
      if (pin_->adapter->policies().servant_manager()) deferred_reply_ = DeferredReply(*pin_);
    } else {
      const ServedObject& object = upcall->object();
      unlisted_.emplace(AdapterVisit::again(object.adapter), object);
    }
  }
  request_.reset(request.defer());
  interception_.reset(request.interception());
  request.set_interception(nullptr);
}

// Copies the contexts of the client, since those of the message end with the upcall. The requests
// of other ORBs often have such contexts.
void Outstanding::keep_contexts(orb::ServerRequest& request) {
  const auto contexts = request.contexts();
  std::size_t count = 0;
  std::uint64_t octets = 0;
  for (const iop::ServiceContext& context : contexts) {
    if (!is_kept(context)) continue;
    ++count;
    octets += sizeof(IOP::ServiceContext) + context.data.size();
  }
  if (count == 0) return;
  contexts_charge_.emplace(charge_contexts(request, octets));
  contexts_.reserve(count);
  for (const iop::ServiceContext& context : contexts)
    if (is_kept(context)) contexts_.push_back(copy_of(context));
}

// The served object is released last: this may etherealize it and destroy its servant, which may
// own this Outstanding. The ORB must exist until then.
void Outstanding::end() noexcept {
  const auto core = keep_core();
  const auto unlisted = std::exchange(unlisted_, std::nullopt);
  const SlotTable<ActiveObject>::Pin pin = std::move(pin_);
  const DeferredReply deferred = std::move(deferred_reply_);
  const std::optional<cdr::PinCharge> charge = std::move(contexts_charge_);
  std::unique_ptr<orb::ServerRequest> ended;
  IOP::ServiceContextList contexts;
  {
    const std::lock_guard lock(mutex_);
    ended = std::move(request_);
    contexts.swap(contexts_);
  }
  interception_.reset();
}

std::shared_ptr<orb::OrbCore> Outstanding::keep_core() const noexcept {
  if (unlisted_) return unlisted_->object.adapter->core();
  return pin_ ? pin_->adapter->core() : nullptr;
}

std::stop_token Outstanding::stop_token() {
  const std::lock_guard lock(mutex_);
  orb::Cancellation* const cancellation = request_ ? request_->cancellation() : nullptr;
  return cancellation != nullptr ? cancellation->token() : std::stop_token();
}

void Outstanding::share_stop_token() noexcept {
  const std::lock_guard lock(mutex_);
  if (orb::Cancellation* const cancellation = request_ ? request_->cancellation() : nullptr)
    cancellation->share();
}

void Outstanding::cancel_with(stub::CallHandle& call) noexcept {
  orb::CancellationNotice before;
  bool cancelled = false;
  {
    const std::lock_guard lock(mutex_);
    orb::Cancellation* const cancellation = request_ ? request_->cancellation() : nullptr;
    cancelled = cancellation != nullptr && !call.cancel_with(*cancellation, before);
  }
  if (cancelled) call.cancel();
}

std::optional<std::chrono::microseconds> Outstanding::remaining_time() {
  const std::lock_guard lock(mutex_);
  if (!request_ || !request_->time_limited()) return std::nullopt;
  return std::chrono::microseconds(request_->remaining_time());
}

std::optional<IOP::ServiceContext> Outstanding::context(IOP::ServiceId id) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(
      contexts_, [id](const IOP::ServiceContext& context) { return context.context_id() == id; });
  return found != contexts_.end() ? std::optional(*found) : std::nullopt;
}

void* Outstanding::operator new(std::size_t size) { return pool::allocate(size); }

void Outstanding::operator delete(void* memory, std::size_t size) noexcept {
  pool::release(memory, size);
}

}  // namespace perigee::poa
