// The policy objects, and how a list of them becomes an adapter's policies.
#include "poa/policy_set.h"

#include <perigee/poa/poa.h>

#include <optional>
#include <string>

namespace PortableServer {
inline namespace perigee_v1 {

#define PERIGEE_DEFINE_POLICY(NAME, CREATE)                      \
  NAME::~NAME() = default;                                       \
  CORBA::object_reference<CORBA::Policy> NAME::copy() const {    \
    return CORBA::make_reference<NAME>(value_);                  \
  }                                                              \
  CORBA::object_reference<NAME> POA::CREATE(NAME##Value value) { \
    return CORBA::make_reference<NAME>(value);                   \
  }
PERIGEE_DEFINE_POLICY(ThreadPolicy, create_thread_policy)
PERIGEE_DEFINE_POLICY(LifespanPolicy, create_lifespan_policy)
PERIGEE_DEFINE_POLICY(IdUniquenessPolicy, create_id_uniqueness_policy)
PERIGEE_DEFINE_POLICY(IdAssignmentPolicy, create_id_assignment_policy)
PERIGEE_DEFINE_POLICY(ImplicitActivationPolicy, create_implicit_activation_policy)
PERIGEE_DEFINE_POLICY(ServantRetentionPolicy, create_servant_retention_policy)
PERIGEE_DEFINE_POLICY(RequestProcessingPolicy, create_request_processing_policy)

}  // namespace perigee_v1
}  // namespace PortableServer

namespace perigee::poa {

using PortableServer::POA;

namespace {

template <typename PolicyClass>
auto value_of(const CORBA::Policy& policy, std::uint16_t index) {
  const auto* known = dynamic_cast<const PolicyClass*>(&policy);
  if (known == nullptr) throw POA::InvalidPolicy(index, "a policy of a foreign class");
  return known->value();
}

[[noreturn]] void not_yet(std::uint16_t index, const char* value) {
  throw POA::InvalidPolicy(index, std::string(value) + " is not supported");
}

void check_retention(const CORBA::Policy& policy, std::uint16_t index) {
  using PortableServer::ServantRetentionPolicyValue;
  if (value_of<PortableServer::ServantRetentionPolicy>(policy, index) !=
      ServantRetentionPolicyValue::RETAIN)
    not_yet(index, "NON_RETAIN");
}

void check_processing(const CORBA::Policy& policy, std::uint16_t index) {
  using PortableServer::RequestProcessingPolicyValue;
  switch (value_of<PortableServer::RequestProcessingPolicy>(policy, index)) {
    case RequestProcessingPolicyValue::USE_ACTIVE_OBJECT_MAP_ONLY:
      return;
    case RequestProcessingPolicyValue::USE_DEFAULT_SERVANT:
      not_yet(index, "USE_DEFAULT_SERVANT");
    case RequestProcessingPolicyValue::USE_SERVANT_MANAGER:
      not_yet(index, "USE_SERVANT_MANAGER");
  }
  throw POA::InvalidPolicy(index, "no such request processing policy");
}

void apply_thread(PolicySet& set, const CORBA::Policy& policy, std::uint16_t index) {
  set.thread = value_of<PortableServer::ThreadPolicy>(policy, index);
  if (set.thread == PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL)
    not_yet(index, "MAIN_THREAD_MODEL");
}

void apply(PolicySet& set, const CORBA::Policy& policy, std::uint16_t index) {
  using namespace PortableServer;  // NOLINT(google-build-using-namespace)
  switch (policy.policy_type()) {
    case THREAD_POLICY_ID:
      return apply_thread(set, policy, index);
    case LIFESPAN_POLICY_ID:
      set.lifespan = value_of<LifespanPolicy>(policy, index);
      return;
    case ID_UNIQUENESS_POLICY_ID:
      set.uniqueness = value_of<IdUniquenessPolicy>(policy, index);
      return;
    case ID_ASSIGNMENT_POLICY_ID:
      set.assignment = value_of<IdAssignmentPolicy>(policy, index);
      return;
    case IMPLICIT_ACTIVATION_POLICY_ID:
      set.activation = value_of<ImplicitActivationPolicy>(policy, index);
      return;
    case SERVANT_RETENTION_POLICY_ID:
      return check_retention(policy, index);
    case REQUEST_PROCESSING_POLICY_ID:
      return check_processing(policy, index);
    default:
      break;
  }
  throw POA::InvalidPolicy(index, "not a policy of the POA");
}

std::uint16_t index_of(const CORBA::PolicyList& policies, CORBA::PolicyType type) {
  for (std::size_t index = 0; index < policies.size(); ++index)
    if (policies[index]->policy_type() == type) return static_cast<std::uint16_t>(index);
  return 0;
}

}  // namespace

PolicySet make_policy_set(const CORBA::PolicyList& policies) {
  PolicySet set;
  for (std::size_t index = 0; index < policies.size(); ++index) {
    const auto position = static_cast<std::uint16_t>(index);
    if (!policies[index]) throw POA::InvalidPolicy(position, "a nil policy");
    apply(set, *policies[index], position);
  }
  // CORBA 3.0, 11.3.8.6: implicit activation needs ids that the system makes.
  if (set.implicit_activation() && !set.system_id())
    throw POA::InvalidPolicy(index_of(policies, PortableServer::IMPLICIT_ACTIVATION_POLICY_ID),
                             "IMPLICIT_ACTIVATION needs SYSTEM_ID");
  return set;
}

PolicySet root_policy_set() noexcept {
  PolicySet set;
  set.activation = PortableServer::ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION;
  return set;
}

}  // namespace perigee::poa
