// TypeCodes of the policies' values, and ORB::create_policy for them.
#include "orb/core/orb_core.h"
#include "poa/policy_factories.h"
#include <perigee/poa/policies_any.h>
#include <perigee/poa/servant.h>

namespace perigee::types::PortableServer {

#define PERIGEE_POLICY_VALUE(NAME, ...)                              \
  static constexpr cdr::TypeMember members_##NAME[] = {__VA_ARGS__}; \
  constinit const cdr::TypeNode _type_##NAME##Value{                 \
      .kind = cdr::TypeKind::tk_enum,                                \
      .id = "IDL:omg.org/PortableServer/" #NAME "Value:1.0",         \
      .name = #NAME "Value",                                         \
      .members = members_##NAME,                                     \
  };
PERIGEE_POLICY_VALUE(ThreadPolicy, {"ORB_CTRL_MODEL"}, {"SINGLE_THREAD_MODEL"},
                     {"MAIN_THREAD_MODEL"})
PERIGEE_POLICY_VALUE(LifespanPolicy, {"TRANSIENT"}, {"PERSISTENT"})
PERIGEE_POLICY_VALUE(IdUniquenessPolicy, {"UNIQUE_ID"}, {"MULTIPLE_ID"})
PERIGEE_POLICY_VALUE(IdAssignmentPolicy, {"USER_ID"}, {"SYSTEM_ID"})
PERIGEE_POLICY_VALUE(ImplicitActivationPolicy, {"IMPLICIT_ACTIVATION"}, {"NO_IMPLICIT_ACTIVATION"})
PERIGEE_POLICY_VALUE(ServantRetentionPolicy, {"RETAIN"}, {"NON_RETAIN"})
PERIGEE_POLICY_VALUE(RequestProcessingPolicy, {"USE_ACTIVE_OBJECT_MAP_ONLY"},
                     {"USE_DEFAULT_SERVANT"}, {"USE_SERVANT_MANAGER"})
#undef PERIGEE_POLICY_VALUE

}  // namespace perigee::types::PortableServer

namespace perigee::poa {

namespace {

template <typename PolicyClass, typename Value>
CORBA::object_reference<CORBA::Policy> make(const CORBA::Any& any) {
  Value value{};
  if (!(any >>= value))
    throw CORBA::PolicyError(CORBA::BAD_POLICY_TYPE,
                             "a value of the policy's own enumeration is needed");
  return CORBA::make_reference<PolicyClass>(value);
}

}  // namespace

void add_policy_factories(orb::OrbCore& core) {
  using namespace PortableServer;  // NOLINT(google-build-using-namespace)
  core.add_policy_factory(THREAD_POLICY_ID, make<ThreadPolicy, ThreadPolicyValue>);
  core.add_policy_factory(LIFESPAN_POLICY_ID, make<LifespanPolicy, LifespanPolicyValue>);
  core.add_policy_factory(ID_UNIQUENESS_POLICY_ID,
                          make<IdUniquenessPolicy, IdUniquenessPolicyValue>);
  core.add_policy_factory(ID_ASSIGNMENT_POLICY_ID,
                          make<IdAssignmentPolicy, IdAssignmentPolicyValue>);
  core.add_policy_factory(IMPLICIT_ACTIVATION_POLICY_ID,
                          make<ImplicitActivationPolicy, ImplicitActivationPolicyValue>);
  core.add_policy_factory(SERVANT_RETENTION_POLICY_ID,
                          make<ServantRetentionPolicy, ServantRetentionPolicyValue>);
  core.add_policy_factory(REQUEST_PROCESSING_POLICY_ID,
                          make<RequestProcessingPolicy, RequestProcessingPolicyValue>);
}

}  // namespace perigee::poa
