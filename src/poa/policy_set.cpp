// The policy objects, and how a list of them becomes an adapter's policies.
#include "poa/policy_set.h"

#include <perigee/orb/bidirectional_policy.h>
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

void apply_protocols(PolicySet& set, const CORBA::Policy& policy, std::uint16_t index) {
  const auto* known = dynamic_cast<const RTCORBA::ServerProtocolPolicy*>(&policy);
  if (known == nullptr) throw POA::InvalidPolicy(index, "a policy of a foreign class");
  set.protocols = std::make_shared<const orb::ProtocolPreference>(known->protocols());
}

void apply(PolicySet& set, const CORBA::Policy& policy, std::uint16_t index) {
  using namespace PortableServer;  // NOLINT(google-build-using-namespace)
  switch (policy.policy_type()) {
    case THREAD_POLICY_ID:
      set.thread = value_of<ThreadPolicy>(policy, index);
      return;
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
      set.retention = value_of<ServantRetentionPolicy>(policy, index);
      return;
    case REQUEST_PROCESSING_POLICY_ID:
      set.processing = value_of<RequestProcessingPolicy>(policy, index);
      return;
    case BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE:
      set.bidirectional =
          value_of<BiDirPolicy::BidirectionalPolicy>(policy, index) == BiDirPolicy::BOTH;
      return;
    case RTCORBA::SERVER_PROTOCOL_POLICY_TYPE:
      return apply_protocols(set, policy, index);
    default:
      break;
  }
  throw POA::InvalidPolicy(index, "not a policy of the POA");
}

// The index of the last policy of the type, which overrides the earlier ones. 0 if there is none.
std::uint16_t index_of(const CORBA::PolicyList& policies, CORBA::PolicyType type) {
  for (std::size_t index = policies.size(); index-- > 0;)
    if (policies[index]->policy_type() == type) return static_cast<std::uint16_t>(index);
  return 0;
}

// Checks the dependencies between policies. Source: CORBA 3.0, 11.3.8.4 to 11.3.8.7.
void check_together(const PolicySet& set, const CORBA::PolicyList& policies) {
  using namespace PortableServer;  // NOLINT(google-build-using-namespace)
  struct Rule {
    bool broken;
    CORBA::PolicyType type;
    const char* text;
  };
  const Rule rules[] = {
      {set.implicit_activation() && !set.system_id(), IMPLICIT_ACTIVATION_POLICY_ID,
       "IMPLICIT_ACTIVATION needs SYSTEM_ID"},
      {set.implicit_activation() && !set.retain(), IMPLICIT_ACTIVATION_POLICY_ID,
       "IMPLICIT_ACTIVATION needs RETAIN"},
      {!set.retain() && !set.default_servant() && !set.servant_manager(),
       SERVANT_RETENTION_POLICY_ID, "NON_RETAIN needs a default servant or a servant manager"},
      {set.default_servant() && set.unique_id(), REQUEST_PROCESSING_POLICY_ID,
       "USE_DEFAULT_SERVANT needs MULTIPLE_ID"},
  };
  for (const Rule& rule : rules)
    if (rule.broken) throw POA::InvalidPolicy(index_of(policies, rule.type), rule.text);
}

}  // namespace

PolicySet make_policy_set(const CORBA::PolicyList& policies, const AdapterHooks* hooks) {
  PolicySet set;
  for (std::size_t index = 0; index < policies.size(); ++index) {
    const auto position = static_cast<std::uint16_t>(index);
    if (!policies[index]) throw POA::InvalidPolicy(position, "a nil policy");
    if (hooks == nullptr || !hooks->takes_policy(policies[index]->policy_type()))
      apply(set, *policies[index], position);
  }
  check_together(set, policies);
  return set;
}

PolicySet root_policy_set() noexcept {
  PolicySet set;
  set.activation = PortableServer::ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION;
  return set;
}

}  // namespace perigee::poa
