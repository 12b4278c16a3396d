// The objects by which applications set policies of clients.
#pragma once

#include <perigee/orb/any.h>
#include <perigee/orb/object.h>
#include <perigee/orb/policy.h>

#include <memory>
#include <span>

namespace perigee::orb {

class ClientPolicies;

/// Initial references of one ORB.
struct PolicyObjects {
  CORBA::object_reference<CORBA::Object> manager;  ///< ORBPolicyManager
  CORBA::object_reference<CORBA::Object> current;  ///< PolicyCurrent
  CORBA::object_reference<CORBA::Object> rtorb;    ///< RTORB
};
[[nodiscard]] PolicyObjects make_policy_objects(const std::shared_ptr<ClientPolicies>& policies);

/// Reads a policy's value, or raises PolicyError.
using PolicyFactory = CORBA::object_reference<CORBA::Policy> (*)(const CORBA::Any& value);
struct ClientPolicyFactory {
  CORBA::PolicyType type;
  PolicyFactory make;
};
/// For ORB::create_policy.
[[nodiscard]] std::span<const ClientPolicyFactory> client_policy_factories() noexcept;

}  // namespace perigee::orb
