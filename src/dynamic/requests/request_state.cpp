// The rules about the order of calls of a Request.
#include "dynamic/requests/request_state.h"

#include "dynamic/requests/minor_codes.h"
#include "orb/context/call_driver.h"
#include "orb/context/orb_context.h"
#include "orb/references/reference.h"
#include <perigee/orb/stub.h>

#include <chrono>
#include <exception>
#include <utility>

namespace perigee::dynamic {

using CORBA::COMPLETED_NO;

// A loop makes no turn for a deadline that has passed.
void drive_briefly(const orb::OrbContext& context, function_ref<bool()> done) {
  const Deadline until = Deadline::after(std::chrono::milliseconds(1), context.clock.now());
  (void)context.calls.engine();  // makes it
  (void)context.calls.drive_until(done, until);
}

void RequestState::check_unsent() const {
  if (stage_ != Stage::unsent)
    throw CORBA::BAD_INV_ORDER(minor_sent_before, COMPLETED_NO,
                               "the request of " + call_.operation + " was sent before");
}

void RequestState::invoke(CalledOperation::Kind kind) {
  check_unsent();
  call_.check_before(kind);
  stage_ = Stage::sent;
  const CalledOperation called(call_.operation, kind, call_.exceptions);
  stub::invoke(
      *target_, called.operation(), [this](cdr::Encoder& encoder) { call_.encode(encoder); },
      [this](cdr::Decoder& decoder) { call_.decode(decoder); });
}

void RequestState::send_deferred() {
  check_unsent();
  call_.check_before(CalledOperation::Kind::dynamic);
  deferred_ = make_counted<DeferredCall>(call_);
  stage_ = Stage::sent;
  DeferredCall::start(deferred_, *target_, nullptr);
  stage_ = Stage::deferred;
}

void RequestState::enter(const std::shared_ptr<RequestQueue>& queue,
                         const CORBA::object_reference<CORBA::Request>& self) {
  check_unsent();
  deferred_ = make_counted<DeferredCall>(call_);
  queue->add(self);
  queue_ = queue;
  stage_ = Stage::deferred;
}

void RequestState::leave(const CORBA::Request& self) noexcept {
  if (const std::shared_ptr<RequestQueue> queue = queue_.lock()) queue->remove(&self);
  queue_.reset();
  deferred_ = nullptr;
  stage_ = Stage::unsent;
}

// The call knows the request as a number only, since the queue may have removed it meanwhile. After
// `start` or `complete`, this state may be gone.
void RequestState::start_queued(const std::shared_ptr<RequestQueue>& queue,
                                const CORBA::Request& self) noexcept {
  const counted_ptr<DeferredCall> call = deferred_;
  const CORBA::object_reference<CORBA::Object> target = target_;
  orb::CallDriver& driver = target->_reference()->context().calls;
  try {
    call_.check_before(CalledOperation::Kind::dynamic);
    DeferredCall::start(call, *target,
                        [queue = queue_, request = &self, context = target->_reference()] {
                          if (const std::shared_ptr<RequestQueue> present = queue.lock())
                            present->complete(request);
                          context->context().calls.wake();
                        });
  } catch (...) {
    call->fail(std::current_exception());
    queue->complete(&self);
    driver.wake();
  }
}

void RequestState::check_deferred() const {
  const auto raise = [this](std::uint32_t minor, const char* reason) {
    throw CORBA::BAD_INV_ORDER(minor, COMPLETED_NO, "the request of " + call_.operation + reason);
  };
  switch (stage_) {
    case Stage::unsent:
      return raise(minor_not_sent, " was not sent");
    case Stage::sent:
      return raise(minor_not_deferred, " was not sent by send_deferred");
    case Stage::taken:
      return raise(minor_response_taken, " has given its response before");
    case Stage::deferred:
      return;
  }
}

bool RequestState::poll() {
  check_deferred();
  if (!deferred_->ended())
    drive_briefly(target_->_reference()->context(), [this] { return deferred_->ended(); });
  return deferred_->ended();
}

void RequestState::get_response(const CORBA::Request& self) {
  check_deferred();
  deferred_->wait();
  stage_ = Stage::taken;
  const counted_ptr<DeferredCall> call = std::move(deferred_);
  if (const std::shared_ptr<RequestQueue> queue = queue_.lock()) {
    queue->remove(&self);
    target_->_reference()->context().calls.wake();  // a thread may wait for the next request
  }
  if (call->exception()) std::rethrow_exception(call->exception());
  call_.take_results(std::move(call->results()));
}

}  // namespace perigee::dynamic
