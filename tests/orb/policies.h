// Making and setting the client's policies.
#pragma once

#include "orb/core/orb_core.h"
#include <perigee/orb/any_operators.h>
#include <perigee/orb/connection_timeout_policy.h>
#include <perigee/orb/messaging_policies.h>
#include <perigee/orb/policy_manager.h>

#include <chrono>

namespace perigee::test {

using ObjectRef = CORBA::object_reference<CORBA::Object>;
using PolicyRef = CORBA::object_reference<CORBA::Policy>;
using enum CORBA::SetOverrideType;
using Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE;
using Messaging::SYNC_SCOPE_POLICY_TYPE;

/// Makes a policy as an application does.
template <typename Value>
PolicyRef make_policy(orb::OrbCore& core, CORBA::PolicyType type, Value value) {
  CORBA::Any any;
  any <<= value;
  return core.create_policy(type, any);
}

inline PolicyRef roundtrip(orb::OrbCore& core, std::chrono::microseconds limit) {
  return make_policy(core, RELATIVE_RT_TIMEOUT_POLICY_TYPE,
                     static_cast<TimeBase::TimeT>(limit.count()) * 10);
}

inline PolicyRef connection_timeout(orb::OrbCore& core, std::chrono::microseconds limit) {
  return make_policy(core, CONNECTION_TIMEOUT_POLICY_TYPE,
                     static_cast<TimeBase::TimeT>(limit.count()) * 10);
}

inline ObjectRef limited(const ObjectRef& object, orb::OrbCore& core,
                         std::chrono::microseconds limit) {
  return object->_set_policy_overrides({roundtrip(core, limit)}, SET_OVERRIDE);
}

template <typename T>
CORBA::object_reference<T> initial(orb::OrbCore& core, const char* name) {
  return IDL::traits<T>::narrow(core.resolve_initial_reference(name));
}
inline auto policy_manager(orb::OrbCore& core) {
  return initial<CORBA::PolicyManager>(core, "ORBPolicyManager");
}
inline auto policy_current(orb::OrbCore& core) {
  return initial<CORBA::PolicyCurrent>(core, "PolicyCurrent");
}

}  // namespace perigee::test
