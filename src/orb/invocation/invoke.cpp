// The functions that generated stubs call for synchronous calls. They turn the outcome of the
// invocation into results and exceptions.
#include "orb/context/orb_context.h"
#include "orb/context/orb_metrics.h"
#include "orb/invocation/call_ends.h"
#include "orb/invocation/captured_call.h"
#include "orb/invocation/invocation.h"
#include "orb/references/reference.h"
#include "orb/values/reference_factory.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/probe.h>
#include <perigee/cdr/errors.h>
#include <perigee/orb/stub.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

namespace perigee::stub {

using probe::Point;

namespace {

using messaging::ReplyStatus;
using messaging::ResponseFlags;

[[gnu::always_inline]] inline void finish_call(orb::Invocation& call, const Operation& operation,
                                               ResultDecoder decode) {
  switch (call.status()) {
    case ReplyStatus::no_exception:
      if (!decode) return;
      decode(call.body());
      return check_decoded(call.body());
    case ReplyStatus::user_exception:
      orb::raise_user_exception(operation, call.body());
    case ReplyStatus::system_exception:
      orb::decode_and_raise_system_exception(call.body(), call.server_text());
    default:
      throw CORBA::INTERNAL(0, CORBA::COMPLETED_YES, "a reply was not classified");
  }
}

// `completed`: the completion status if memory runs out from now on.
[[gnu::always_inline]] inline const orb::InvocationError* run_call(
    orb::Invocation& call, CORBA::CompletionStatus& completed) {
  const orb::InvocationError* error = nullptr;
  try {
    error = call.run();
  } catch (...) {
    if (call.request_sent()) completed = CORBA::COMPLETED_MAYBE;
    throw;
  }
  completed = CORBA::COMPLETED_YES;
  if (error != nullptr && !error->request_accepted) completed = CORBA::COMPLETED_NO;
  if (error != nullptr && error->request_accepted) completed = CORBA::COMPLETED_MAYBE;
  return error;
}

// The call goes on with the target that an interceptor has given, for the rest of its time.
counted_ptr<orb::Reference> follow_interceptor(const orb::OrbContext& context,
                                               const orb::Invocation& call,
                                               orb::InvocationRequest& request,
                                               orb::CallInterception& interception) {
  if (!call.deadline().is_never()) {
    const Duration left = call.deadline().left(context.clock.now());
    request.time_limit =
        std::max(std::chrono::ceil<std::chrono::microseconds>(left), std::chrono::microseconds(1));
  }
  auto target = context.references.make_reference(interception.take_forward());
  if (!target) throw CORBA::INV_OBJREF(0, CORBA::COMPLETED_NO, "an interceptor forwards to nil");
  return target;
}

// A call that interceptors concern.
[[gnu::cold]] void invoke_intercepted(counted_ptr<orb::Reference> reference,
                                      const Operation& operation, orb::InvocationRequest& request,
                                      ResultDecoder decode, orb::CallInterception& interception) {
  using Next = orb::CallInterception::Next;
  const orb::OrbContext& context = reference->context();
  const orb::LatencyTimer timer(context.metrics, context.metrics.call_latencies);
  CORBA::CompletionStatus completed = CORBA::COMPLETED_NO;
  try {
    for (std::uint32_t hops = 0; hops <= context.settings.forward_hops_max; ++hops) {
      orb::Invocation call(*reference, request);
      call.set_interception(interception);
      const orb::InvocationError* error = run_call(call, completed);
      const Next next = call.end_interception(error);
      if (next == Next::forward) {
        reference = follow_interceptor(context, call, request, interception);
        continue;
      }
      if (next == Next::fail) error = &call.intercepted_error();
      timer.record(operation.name);
      context.metrics.calls.add(orb::outcome_of(error, request.response, call.status()));
      if (error != nullptr) orb::raise_invocation_error(*error);
      if (request.response != ResponseFlags::none) finish_call(call, operation, decode);
      return;
    }
  } catch (const std::bad_alloc&) {
    throw CORBA::NO_MEMORY(0, completed);
  }
  throw CORBA::TRANSIENT(orb::minor_forward_hops, CORBA::COMPLETED_NO,
                         "interceptors have forwarded the call too often (-ORBForwardHopsMax)");
}

// Applies policies. False if no interceptor concerns the call, which then is not made yet.
[[gnu::cold, gnu::noinline]] bool invoke_with_hooks(const CORBA::Object& target,
                                                    const Operation& operation,
                                                    orb::InvocationRequest& request,
                                                    ResultDecoder decode) {
  const counted_ptr<orb::Reference>& reference = target._reference();
  orb::apply_policies(*reference, request);
  orb::CallHooks* const hooks = reference->context().call_hooks.load(std::memory_order_acquire);
  if (hooks == nullptr) return false;
  const auto interception = hooks->begin(reference, operation);
  if (!interception) return false;
  invoke_intercepted(reference, operation, request, decode, *interception);
  return true;
}

}  // namespace

void invoke(const CORBA::Object& target, const Operation& operation, ArgumentEncoder encode,
            ResultDecoder decode) {
  probe::stamp(Point::call_begins);
  orb::Reference* const reference = target._reference().get();
  if (reference == nullptr) return orb::CapturedCall::take(operation, encode);
  if (reference->context().life.stopped())
    throw CORBA::BAD_INV_ORDER(orb::minor_shut_down, CORBA::COMPLETED_NO, "the ORB was shut down");
  const bool oneway = operation.kind == Operation::Kind::oneway;
  orb::InvocationRequest request{operation.name,
                                 oneway ? ResponseFlags::none : ResponseFlags::with_target, encode};
  if (orb::has_policies(*reference)) [[unlikely]]
    if (invoke_with_hooks(target, operation, request, decode)) return;
  orb::OrbMetrics& metrics = reference->context().metrics;
  const orb::LatencyTimer timer(metrics, metrics.call_latencies);
  CORBA::CompletionStatus completed = CORBA::COMPLETED_NO;
  try {
    orb::Invocation call(*reference, request);
    const orb::InvocationError* const error = run_call(call, completed);
    timer.record(operation.name);
    metrics.calls.add(orb::outcome_of(error, request.response, call.status()));
    if (error != nullptr) orb::raise_invocation_error(*error);
    if (request.response != ResponseFlags::none) finish_call(call, operation, decode);
    probe::stamp(Point::results_decoded);
  } catch (const std::bad_alloc&) {
    throw CORBA::NO_MEMORY(0, completed);
  }
  probe::stamp(Point::call_ended);
}

bool supports(const CORBA::Object& object, std::string_view repository_id) {
  return object._is_a(std::string(repository_id));
}

}  // namespace perigee::stub
