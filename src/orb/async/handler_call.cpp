// A call of a reply handler in another process. The call keeps the outcome until the handler has
// received it.
#include "orb/async/handler_call.h"

#include "orb/async/async_engine.h"
#include "orb/async/async_request.h"
#include "orb/context/call_driver.h"
#include "orb/context/orb_context.h"
#include "orb/context/orb_metrics.h"
#include "orb/invocation/captured_call.h"
#include "orb/references/reference.h"
#include "orb/serving/log_operation.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/clock.h>
#include <perigee/orb/inherited_time_limit.h>
#include <perigee/orb/value_marshalling.h>

#include <exception>
#include <optional>
#include <utility>

namespace perigee::orb {

namespace {

const OrbContext& context_of(const CORBA::Object& object) noexcept {
  return object._reference()->context();
}

void note_failure(const OrbContext& context, const stub::Operation& called,
                  const std::exception_ptr& error) noexcept {
  context.metrics.handler_calls_failed.fetch_add(1, std::memory_order_relaxed);
  const auto log = [&](const char* text) {
    log_operation(log::Level::warning, called.name, {"its reply handler was not called: ", text});
  };
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& exception) {
    log(exception.what());
  } catch (...) {
    log("an exception of an unknown type");
  }
}

Deadline end_of_call(const Settings& settings) {
  const auto limit = settings.handler_call_timeout;
  if (limit.count() == 0) return Deadline::never();
  return Deadline::after(limit, steady_clock().now());
}

}  // namespace

HandlerCall::HandlerCall(std::unique_ptr<stub::HandlerObject> handler,
                         const stub::CallOutcome& outcome)
    : handler_(std::move(handler)), outcome_(outcome) {}

void HandlerCall::start(std::unique_ptr<stub::HandlerObject> handler,
                        const stub::CallOutcome& outcome) noexcept {
  const stub::Operation& called = outcome.operation();
  const counted_ptr<Reference> reference = handler->object()._reference();
  const OrbContext& context = reference->context();
  try {
    auto call = std::make_unique<HandlerCall>(std::move(handler), outcome);
    call->send();
    [[maybe_unused]] const HandlerCall* const itself = call.release();  // deletes itself
  } catch (...) {
    note_failure(context, called, std::current_exception());
  }
}

// This object may be deleted as soon as `stub::send` is called.
void HandlerCall::send() {
  const OrbContext& context = context_of(handler_->object());
  place_ = context.calls.engine().handler_calls().take(outcome_.octets(), context.settings);
  if (!place_)
    throw CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO,
                           "too many calls of reply handlers are in progress "
                           "(-ORBHandlerCallsMax, -ORBHandlerCallsSizeMax)");
  operation_ = capture(nullptr);
  if (operation_ == nullptr) throw CORBA::INTERNAL();
  const stub::InheritedTimeLimit limit(end_of_call(context.settings));
  (void)stub::send(
      handler_->object(), *operation_,
      [call = this](cdr::Encoder& encoder) { call->encode(encoder); }, *this);
}

// Finds the handler's operation. Encodes its arguments, if there is an encoder.
const stub::Operation* HandlerCall::capture(cdr::Encoder* encoder) const {
  const stub::Operation* captured_operation = nullptr;
  outcome_.show([&](stub::CallOutcome& outcome) {
    std::optional<value::Reading> values;  // decoded by the stub, destroyed here
    if (cdr::Decoder* const results = outcome.results())
      values.emplace(*results).break_cycles_at_end();
    const CapturedCall captured(encoder);
    handler_->deliver(outcome);
    captured_operation = captured.operation();
  });
  return captured_operation;
}

// If memory runs out while the reply is decoded, the stub calls the handler's operation for
// exceptions instead of `operation_`. These arguments do not belong in this request, so it fails.
void HandlerCall::encode(cdr::Encoder& encoder) const noexcept try {
  if (capture(&encoder) != operation_) encoder.fail(cdr::ErrorKind::bad_value);
} catch (...) {
  encoder.fail(cdr::ErrorKind::bad_value);
}

void HandlerCall::ended(stub::CallOutcome& outcome) noexcept {
  const std::unique_ptr<HandlerCall> self(this);
  if (outcome.results() == nullptr)
    note_failure(context_of(handler_->object()), outcome_.operation(), outcome.exception());
}

}  // namespace perigee::orb

namespace perigee::stub {

void call_handler(HandlerObject* handler, const CallOutcome& outcome) noexcept {
  orb::HandlerCall::start(std::unique_ptr<HandlerObject>(handler), outcome);
}

}  // namespace perigee::stub
