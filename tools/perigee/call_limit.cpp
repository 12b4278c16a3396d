// The ORB's round-trip time-out, as a policy.
#include "call_limit.h"

#include <perigee/corba.h>
#include <perigee/orb/messaging_policies.h>
#include <perigee/orb/policy_manager.h>

namespace perigee::tool {

void limit_calls(CORBA::ORB& orb, double seconds) {
  CORBA::Any limit;
  limit <<= static_cast<TimeBase::TimeT>(seconds * 1e7);
  const auto policy = orb.create_policy(Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE, limit);
  IDL::traits<CORBA::PolicyManager>::narrow(orb.resolve_initial_references("ORBPolicyManager"))
      ->set_policy_overrides({policy}, CORBA::SetOverrideType::ADD_OVERRIDE);
}

}  // namespace perigee::tool
