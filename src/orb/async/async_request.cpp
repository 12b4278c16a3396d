// Encoding, time limits and the end of asynchronous calls.
#include "orb/async/async_request.h"

#include "orb/context/orb_context.h"
#include "orb/context/upcall_scope.h"
#include "orb/invocation/call_ends.h"
#include <perigee/orb/inherited_time_limit.h>

#include <algorithm>
#include <new>
#include <utility>

namespace perigee::orb {

using messaging::ResponseFlags;

OwnedRequest::OwnedRequest(counted_ptr<Reference> called, const stub::Operation& asked,
                           stub::Arguments given)
    : reference(std::move(called)), operation(asked), arguments(std::move(given)) {
  request.operation = operation.name;
  const bool is_oneway = operation.kind == stub::Operation::Kind::oneway;
  request.response = is_oneway ? ResponseFlags::none : ResponseFlags::with_target;
  if (!arguments->empty()) request.encode = stub::ArgumentEncoder(encode);
  if (!has_policies(*reference)) return;
  apply_policies(*reference, request);
  CallHooks* const hooks = reference->context().policies.call_hooks();
  if (hooks == nullptr) return;
  interception = hooks->begin(reference, operation);
}

AsyncRequest::AsyncRequest(counted_ptr<Reference> called, const stub::Operation& asked,
                           stub::Arguments given, stub::CallObserver& observer)
    : OwnedRequest(std::move(called), asked, std::move(given)),
      CallSteps(*reference, request),
      observer_(observer),
      timer_(context_.metrics, context_.metrics.call_latencies) {
  interception_ = interception.get();
}

AsyncRequest::~AsyncRequest() = default;

CallSteps::State AsyncRequest::step(State state, std::optional<CollocatedBuffers>& buffers,
                                    std::shared_ptr<CollocatedWait>& later) {
  switch (state) {
    case State::choose:
      return choose();
    case State::collocated:
      if (!buffers) buffers.emplace();
      return begin_collocated(*buffers->request, *buffers->reply, later, deadline());
    case State::classify:
      return classify();
    default:
      return State::failed;
  }
}

// The replying thread may be in an upcall. The observer must not see this upcall.
void AsyncRequest::tell_observer(bool failed) noexcept {
  const InvocationError* const error = failed ? &failure() : nullptr;
  timer_.record(request.operation);
  context_.metrics.calls.add(outcome_of(error, request.response, status_));
  const bool has_text = !failed && status_ == messaging::ReplyStatus::system_exception;
  AsyncOutcome outcome{operation, status_, body_, error,
                       has_text ? failure().server_text : std::string_view()};
  stub::CallOutcome shown(outcome);
  {
    const UpcallScope none(UpcallScope::None::upcall);
    observer_.ended(shown);
  }
  decoded_memory_.release();
  arguments.reset();
}

// --- Time ---

void AsyncRequest::begin_time_limits() noexcept {
  if (!oneway()) inherited_ = stub::InheritedTimeLimit::current();
  const bool inherits = !inherited_.is_never();
  if (request.time_limit.count() == 0 && request.send_limit.count() == 0 && !inherits) return;
  const TimePoint now = context_.clock.now();
  if (request.time_limit.count() != 0) own_deadline_ = Deadline::after(request.time_limit, now);
  if (request.send_limit.count() != 0)
    own_send_deadline_ = Deadline::after(request.send_limit, now);
  inherit_time_limit(inherited_);
}

// Converts the inherited limit, which is by the steady clock, to the clock of the ORB.
void AsyncRequest::inherit_time_limit(Deadline until) noexcept {
  Deadline limit = own_deadline_;
  if (!until.is_never()) {
    const Duration left = until.left(steady_clock().now());
    limit = std::min(limit, Deadline::after(left, context_.clock.now()));
  }
  deadline_.store(limit, std::memory_order_relaxed);
  send_deadline_.store(std::min(own_send_deadline_, limit), std::memory_order_relaxed);
}

void AsyncRequest::limit_call_over_datagrams() noexcept {
  const bool is_limited = !own_deadline_.is_never() && !has_default_limit();
  if (oneway() || is_limited) return;
  own_deadline_ = std::min(own_deadline_, Deadline::after(context_.settings.datagram_call_timeout,
                                                          context_.clock.now()));
  inherit_time_limit(inherited_);
}

Deadline AsyncRequest::connect_limit(TimePoint now) noexcept {
  const auto longest = connect_timeout(checkout_limits(Deadline::never()), now);
  return longest.count() == 0 ? Deadline::never() : Deadline::after(longest, now);
}

bool AsyncRequest::expired() const noexcept {
  const Deadline end = send_deadline();
  return !end.is_never() && end.passed(context_.clock.now());
}

IoError copy_of(const IoError& error) noexcept try { return error; } catch (const std::bad_alloc&) {
  return {error.kind, error.operation, error.code, {}};
}

}  // namespace perigee::orb
