// Blocking calls with interceptors. Calls without interceptors come here only for their policies.
#include "orb/context/orb_context.h"
#include "orb/context/orb_metrics.h"
#include "orb/invocation/blocking_call.h"
#include "orb/references/reference.h"
#include "orb/values/reference_factory.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <utility>

namespace perigee::orb {

using messaging::ResponseFlags;

namespace {

// The call goes on with the target that an interceptor has given, for the rest of its time.
counted_ptr<Reference> follow_interceptor(const OrbContext& context, const Invocation& call,
                                          InvocationRequest& request,
                                          CallInterception& interception) {
  if (!call.deadline().is_never()) {
    const Duration left = call.deadline().left(context.clock.now());
    request.time_limit =
        std::max(std::chrono::ceil<std::chrono::microseconds>(left), std::chrono::microseconds(1));
  }
  auto target = context.references.make_reference(interception.take_forward());
  if (!target) throw CORBA::INV_OBJREF(0, CORBA::COMPLETED_NO, "an interceptor forwards to nil");
  return target;
}

std::unique_ptr<CallInterception> begin_interception(CallHooks& hooks,
                                                     const counted_ptr<Reference>& target,
                                                     const stub::Operation& operation) try {
  return hooks.begin(target, operation);
} catch (const std::bad_alloc&) {
  throw CORBA::NO_MEMORY(0, CORBA::COMPLETED_NO);
}

// A call with interceptors.
void invoke_intercepted(counted_ptr<Reference> reference, const stub::Operation& operation,
                        InvocationRequest& request, stub::ResultDecoder decode,
                        CallInterception& interception) {
  using Next = CallInterception::Next;
  const OrbContext& context = reference->context();
  const LatencyTimer timer(context.metrics, context.metrics.call_latencies);
  CORBA::CompletionStatus completed = CORBA::COMPLETED_NO;
  try {
    for (std::uint32_t hops = 0; hops <= context.settings.forward_hops_max; ++hops) {
      Invocation call(*reference, request);
      call.set_interception(interception);
      const InvocationError* error = run_call(call, completed);
      const Next next = call.end_interception(error);
      if (next == Next::forward) {
        reference = follow_interceptor(context, call, request, interception);
        continue;
      }
      if (next == Next::fail) error = &call.intercepted_error();
      timer.record(operation.name);
      context.metrics.calls.add(outcome_of(error, request.response, call.status()));
      if (error != nullptr) raise_invocation_error(*error);
      if (request.response != ResponseFlags::none) finish_call(call, operation, decode);
      return;
    }
  } catch (const std::bad_alloc&) {
    throw CORBA::NO_MEMORY(0, completed);
  }
  throw CORBA::TRANSIENT(minor_forward_hops, CORBA::COMPLETED_NO,
                         "interceptors have forwarded the call too often (-ORBForwardHopsMax)");
}

}  // namespace

bool invoke_with_hooks(const CORBA::Object& target, const stub::Operation& operation,
                       InvocationRequest& request, stub::ResultDecoder decode) {
  const counted_ptr<Reference>& reference = target._reference();
  apply_policies(*reference, request);
  CallHooks* const hooks = reference->context().policies.call_hooks();
  if (hooks == nullptr) return false;
  const auto interception = begin_interception(*hooks, reference, operation);
  if (!interception) return false;
  invoke_intercepted(reference, operation, request, decode, *interception);
  return true;
}

}  // namespace perigee::orb
