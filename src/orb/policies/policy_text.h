// The name of a policy type.
#pragma once

#include <perigee/orb/policy.h>

#include <string>

namespace perigee::orb {

/// "SyncScopePolicy (type 24)"; "policy type 99" if the type is unknown.
std::string policy_text(CORBA::PolicyType type);

}  // namespace perigee::orb
