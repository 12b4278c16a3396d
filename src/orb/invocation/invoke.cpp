// The functions that generated stubs call for synchronous calls. They turn the outcome of the
// invocation into results and exceptions.
#include "orb/context/orb_context.h"
#include "orb/context/orb_metrics.h"
#include "orb/invocation/blocking_call.h"
#include "orb/invocation/call_ends.h"
#include "orb/invocation/captured_call.h"
#include "orb/invocation/invocation.h"
#include "orb/references/reference.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/probe.h>
#include <perigee/cdr/errors.h>
#include <perigee/orb/stub.h>

#include <new>
#include <utility>

namespace perigee::stub {

using probe::Point;

using messaging::ResponseFlags;

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
    if (orb::invoke_with_hooks(target, operation, request, decode)) return;
  orb::OrbMetrics& metrics = reference->context().metrics;
  const orb::LatencyTimer timer(metrics, metrics.call_latencies);
  CORBA::CompletionStatus completed = CORBA::COMPLETED_NO;
  try {
    orb::Invocation call(*reference, request);
    const orb::InvocationError* const error = orb::run_call(call, completed);
    timer.record(operation.name);
    metrics.calls.add(orb::outcome_of(error, request.response, call.status()));
    if (error != nullptr) orb::raise_invocation_error(*error);
    if (request.response != ResponseFlags::none) orb::finish_call(call, operation, decode);
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
