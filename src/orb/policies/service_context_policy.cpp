// Checks the service contexts of a policy before any call sends them.
#include "orb/context/own_contexts.h"
#include "orb/policies/define_policy.h"
#include <perigee/orb/service_context_policy.h>

#include <algorithm>
#include <string>
#include <utility>

namespace perigee {

namespace {

using CORBA::COMPLETED_NO;

void check_sizes(const IOP::ServiceContextList& contexts) {
  if (contexts.size() > ServiceContextPolicy::contexts_max)
    throw CORBA::IMP_LIMIT(
        0, COMPLETED_NO,
        "a ServiceContextPolicy with " + std::to_string(contexts.size()) + " contexts; at most " +
            std::to_string(ServiceContextPolicy::contexts_max) + " are possible");
  std::size_t octets = 0;
  for (const IOP::ServiceContext& context : contexts) octets += context.context_data().size();
  if (octets > ServiceContextPolicy::octets_max)
    throw CORBA::IMP_LIMIT(0, COMPLETED_NO,
                           "the contexts of a ServiceContextPolicy have " + std::to_string(octets) +
                               " octets; at most " +
                               std::to_string(ServiceContextPolicy::octets_max) + " are possible");
}

void check_ids(const IOP::ServiceContextList& contexts) {
  for (auto context = contexts.begin(); context != contexts.end(); ++context) {
    const IOP::ServiceId id = context->context_id();
    if (orb::is_context_of_orb(id))
      throw CORBA::BAD_PARAM(0, COMPLETED_NO,
                             "the service context id " + std::to_string(id) +
                                 " belongs to the ORB; choose another id");
    if (std::any_of(contexts.begin(), context,
                    [id](const IOP::ServiceContext& other) { return other.context_id() == id; }))
      throw CORBA::BAD_PARAM(0, COMPLETED_NO,
                             "the service context id " + std::to_string(id) +
                                 " occurs twice in a ServiceContextPolicy");
  }
}

IOP::ServiceContextList checked(IOP::ServiceContextList contexts) {
  check_sizes(contexts);
  check_ids(contexts);
  return contexts;
}

}  // namespace

ServiceContextPolicy::ServiceContextPolicy(IOP::ServiceContextList contexts)
    : contexts_(checked(std::move(contexts))) {}

PERIGEE_DEFINE_CALL_POLICY(ServiceContextPolicy, SERVICE_CONTEXT_POLICY_TYPE, contexts_)

}  // namespace perigee
