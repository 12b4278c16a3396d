// The begin and the end of a call, blocking or asynchronous: its policies, its user exceptions, and
// its outcome for the metrics.
#pragma once

#include "orb/connection/invocation_error.h"
#include "orb/context/orb_metrics.h"
#include "orb/invocation/call_steps.h"
#include "orb/policies/client_policies.h"
#include "orb/references/reference.h"
#include <perigee/cdr/decoder.h>
#include <perigee/messaging/message.h>
#include <perigee/orb/stub.h>

namespace perigee::orb {

[[nodiscard]] inline bool has_policies(const Reference& reference) {
  if (reference.overrides() != nullptr) [[unlikely]]
    return true;
  return reference.context().policies.in_use();  // also if there are interceptors
}
/// Applies the policies of the reference, the thread and the ORB.
void apply_policies(const Reference& reference, InvocationRequest& request);

/// Throws the user exception at the decoder's position, or UNKNOWN if the operation does not list
/// it.
[[noreturn]] PERIGEE_INTERNAL_API void raise_user_exception(const stub::Operation& operation,
                                                            cdr::Decoder& decoder);

/// The outcome for the metrics. `error`: null if the call got a reply.
[[nodiscard]] inline CallOutcome outcome_of(const InvocationError* error,
                                            messaging::ResponseFlags response,
                                            messaging::ReplyStatus status) noexcept {
  if (error != nullptr) return outcome_of(error->cause);
  if (response == messaging::ResponseFlags::none) return CallOutcome::oneway;
  switch (status) {
    case messaging::ReplyStatus::user_exception:
      return CallOutcome::user_exception;
    case messaging::ReplyStatus::system_exception:
      return CallOutcome::system_exception;
    default:
      return CallOutcome::no_exception;
  }
}

}  // namespace perigee::orb
