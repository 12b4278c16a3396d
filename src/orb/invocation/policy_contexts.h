// The service contexts that a ServiceContextPolicy adds to the requests of calls.
#pragma once

#include "orb/invocation/call_interception.h"
#include <perigee/base/export.h>
#include <perigee/orb/service_context_policy.h>

namespace perigee::orb {

/// The policy of a call that the calling thread makes through `reference`, from the nearest level:
/// reference, thread, ORB. Nil if no level has one.
[[nodiscard]] PERIGEE_INTERNAL_API CORBA::object_reference<ServiceContextPolicy> contexts_of(
    const Reference& reference);

/// The hooks of an ORB without client interceptors: they add the contexts of the policy, and do
/// nothing else. Any thread.
[[nodiscard]] PERIGEE_INTERNAL_API CallHooks& policy_context_hooks() noexcept;

}  // namespace perigee::orb
