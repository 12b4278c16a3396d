// The functions that generated stubs call for asynchronous calls, and the outcomes of these calls.
#include "orb/async/async_call.h"
#include "orb/async/async_engine.h"
#include "orb/async/loop_calls.h"
#include "orb/context/call_driver.h"
#include "orb/context/orb_context.h"
#include "orb/context/upcall_scope.h"
#include "orb/invocation/call_ends.h"
#include "orb/invocation/nested_wait.h"
#include "orb/serving/cancellation.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/pool.h>
#include <perigee/orb/async_stub.h>
#include <perigee/orb/inherited_time_limit.h>

#include <new>
#include <utility>

namespace perigee::stub {

using messaging::ReplyStatus;

void* Arguments::allocate(std::size_t size) { return pool::allocate(size); }

void Arguments::release(void* memory, std::size_t size) noexcept { pool::release(memory, size); }

namespace {

[[noreturn]] void raise(const orb::AsyncOutcome& outcome) {
  if (outcome.error != nullptr) orb::raise_invocation_error(*outcome.error);
  cdr::Decoder body = outcome.body;  // a copy, so that the exception can be raised again
  if (outcome.status == ReplyStatus::user_exception)
    orb::raise_user_exception(outcome.operation, body);
  if (outcome.status == ReplyStatus::system_exception)
    orb::decode_and_raise_system_exception(body, outcome.server_text);
  throw CORBA::INTERNAL(0, CORBA::COMPLETED_YES, "a reply was not classified");
}

// The exception that `body` throws, or null.
template <typename Body>
std::exception_ptr caught(CORBA::CompletionStatus completed, const Body& body) noexcept {
  try {
    try {
      body();
      return nullptr;
    } catch (const std::bad_alloc&) {
      throw CORBA::NO_MEMORY(0, completed);
    }
  } catch (...) {
    return std::current_exception();
  }
}

CORBA::CompletionStatus completion(const orb::AsyncOutcome& outcome) noexcept {
  if (outcome.error == nullptr) return CORBA::COMPLETED_YES;
  return outcome.error->request_accepted ? CORBA::COMPLETED_MAYBE : CORBA::COMPLETED_NO;
}

}  // namespace

const Operation& CallOutcome::operation() const noexcept { return state_->operation; }

cdr::Decoder* CallOutcome::results() noexcept {
  const bool there = state_->error == nullptr && state_->status == ReplyStatus::no_exception;
  return there ? &state_->body : nullptr;
}

std::exception_ptr CallOutcome::exception() const noexcept {
  if (state_->error == nullptr && state_->status == ReplyStatus::no_exception) return nullptr;
  return caught(completion(*state_), [this] { raise(*state_); });
}

std::exception_ptr CallOutcome::decode(ResultDecoder decode) noexcept {
  cdr::Decoder* const body = results();
  if (body == nullptr) return exception();
  if (!decode) return nullptr;
  return caught(CORBA::COMPLETED_YES, [&] {
    decode(*body);
    check_decoded(*body);
  });
}

namespace {

thread_local const InheritedTimeLimit* innermost_limit = nullptr;

}  // namespace

InheritedTimeLimit::InheritedTimeLimit(Deadline until) noexcept
    : until_(until),
      upcall_(orb::UpcallScope::innermost()),
      outer_(std::exchange(innermost_limit, this)) {}

InheritedTimeLimit::~InheritedTimeLimit() { innermost_limit = outer_; }

// While the upcall that set the limit waits, its thread may serve another upcall. The other upcall
// has another caller, so its calls do not inherit the limit.
Deadline InheritedTimeLimit::current() noexcept {
  const bool holds =
      innermost_limit != nullptr && innermost_limit->upcall_ == orb::UpcallScope::innermost();
  return holds ? innermost_limit->until_ : Deadline::never();
}

CallHandle::CallHandle(orb::AsyncRequest& call) noexcept : call_(&call) {}

CallHandle::~CallHandle() {
  if (call_ != nullptr) call_->remove_owner();
}

void CallHandle::cancel() noexcept {
  if (call_ != nullptr) call_->cancel();
}

bool CallHandle::cancel_with(orb::Cancellation& cancellation,
                             orb::CancellationNotice& before) noexcept {
  return call_ == nullptr || cancellation.cancels(*call_, before);
}

void CallHandle::limit_time(Deadline until) noexcept {
  if (call_ != nullptr) call_->limit_time(until);
}

bool CallHandle::ended() const noexcept { return call_ == nullptr || call_->is_over(); }

void CallHandle::wait() {
  if (!ended() && !call_->await()) orb::raise_nested_too_deep(CORBA::COMPLETED_MAYBE);
}

void CallHandle::drive(function_ref<bool()> done, std::uint32_t timeout) const {
  if (call_ != nullptr && !call_->drive(done, timeout))
    orb::raise_nested_too_deep(CORBA::COMPLETED_MAYBE);
}

void CallHandle::wake_at_end() const noexcept {
  if (call_ != nullptr) call_->wake_at_end();
}

void CallHandle::wake_drivers() const noexcept {
  if (call_ != nullptr) call_->wake_drivers();
}

namespace {

// The call belongs to the loop of the calling thread, so threads of that loop get its outcome.
orb::AsyncCall& make_call(const counted_ptr<orb::Reference>& reference, const Operation& operation,
                          Arguments arguments, CallObserver& observer) {
  orb::LoopCalls& calls = reference->context().calls.engine().calls();
  return orb::AsyncCall::make(reference, operation, std::move(arguments), calls, observer);
}

}  // namespace

CallHandle send(const CORBA::Object& target, const Operation& operation, Arguments arguments,
                CallObserver& observer) {
  const counted_ptr<orb::Reference>& reference = target._reference();
  if (!reference) CORBA::_raise_nil_reference();
  const orb::OrbContext& context = reference->context();
  if (context.life.stopped())
    throw CORBA::BAD_INV_ORDER(orb::minor_shut_down, CORBA::COMPLETED_NO, "the ORB was shut down");
  try {
    orb::AsyncCall& call = make_call(reference, operation, std::move(arguments), observer);
    CallHandle handle(call);
    call.start();
    return handle;
  } catch (const std::bad_alloc&) {
    throw CORBA::NO_MEMORY(0, CORBA::COMPLETED_NO);
  }
}

}  // namespace perigee::stub
