// What people call a kind of policy.
#pragma once

#include <perigee/orb/policy.h>

#include <string>

namespace perigee::orb {

/// "SyncScopePolicy (type 24)"; "policy type 99" if nobody here knows it.
std::string policy_text(CORBA::PolicyType type);

}  // namespace perigee::orb
