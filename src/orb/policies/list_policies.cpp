// The constructors of the policies check the lists. ORB::create_policy raises PolicyError with the
// text of the constructor's exception.
#include "orb/policies/list_policies.h"

#include <perigee/base/counted_ptr.h>
#include <perigee/orb/exceptions.h>
#include <perigee/orb/iop_types_any.h>
#include <perigee/orb/service_context_policy.h>
#include <perigee/orb/tagged_component_policy.h>

#include <utility>

namespace perigee::orb {

namespace {

template <typename Policy, typename List>
CORBA::object_reference<CORBA::Policy> make(const CORBA::Any& any, const char* type_needed) {
  List list;
  if (!(any >>= list)) throw CORBA::PolicyError(CORBA::BAD_POLICY_TYPE, type_needed);
  try {
    return CORBA::object_reference<CORBA::Policy>(make_counted<Policy>(std::move(list)));
  } catch (const CORBA::SystemException& refused) {
    throw CORBA::PolicyError(CORBA::BAD_POLICY_VALUE, refused.detail());
  }
}

}  // namespace

CORBA::object_reference<CORBA::Policy> make_service_context_policy(const CORBA::Any& any) {
  return make<ServiceContextPolicy, IOP::ServiceContextList>(
      any, "an IOP::ServiceContextList is needed: <perigee/orb/iop_types_any.h> inserts it");
}

CORBA::object_reference<CORBA::Policy> make_tagged_component_policy(const CORBA::Any& any) {
  return make<TaggedComponentPolicy, IOP::TaggedComponentSeq>(
      any, "an IOP::TaggedComponentSeq is needed: <perigee/orb/iop_types_any.h> inserts it");
}

}  // namespace perigee::orb
