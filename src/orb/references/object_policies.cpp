// CORBA::Object: the policies of a reference.
#include "orb/context/orb_context.h"
#include "orb/policies/client_policies.h"
#include "orb/references/reference.h"
#include "orb/values/system_exceptions.h"
#include <perigee/orb/exceptions.h>
#include <perigee/orb/object.h>
#include <perigee/orb/policy.h>

#include <memory>

namespace CORBA {
inline namespace perigee_v1 {

using perigee::orb::PolicyOverrides;
using perigee::orb::Reference;

namespace {

Reference& reference_of(const Object& object) {
  if (!object._reference())
    throw NO_IMPLEMENT(perigee::orb::minor_not_of_local_objects, COMPLETED_NO,
                       "a local object has no policies");
  return *object._reference();
}

}  // namespace

object_reference<Object> Object::_set_policy_overrides(const PolicyList& policies,
                                                       SetOverrideType set_add) const {
  const Reference& mine = reference_of(*this);
  auto overrides = perigee::orb::override_policies(mine.overrides(), policies, set_add,
                                                   perigee::orb::PolicyLevel::object);
  if (overrides && overrides->contexts()) mine.context().policies.use_contexts();
  return object_reference<Object>(perigee::make_counted<Object>(
      perigee::make_counted<Reference>(mine.shared_context(), mine.ior(), std::move(overrides))));
}

PolicyList Object::_get_policy_overrides(const PolicyTypeSeq& types) const {
  const PolicyOverrides* const overrides = reference_of(*this).overrides();
  return overrides != nullptr ? overrides->list(types) : PolicyList{};
}

object_reference<Policy> Object::_get_client_policy(PolicyType type) const {
  const Reference& mine = reference_of(*this);
  if (!perigee::orb::is_client_policy(type))
    throw INV_POLICY(perigee::orb::minor_no_policy_type, COMPLETED_NO,
                     "policy type " + std::to_string(type) + " is not a client policy");
  const auto& outer = mine.context().policies;
  const auto thread = outer.of_thread();
  const auto orb = outer.of_orb();
  for (const PolicyOverrides* level : {mine.overrides(), thread.get(), orb.get()}) {
    if (level == nullptr) continue;
    if (auto policy = level->find(type)) return policy;
  }
  return nullptr;
}

object_reference<Policy> Object::_get_policy(PolicyType type) const {
  return _get_client_policy(type);
}

}  // namespace perigee_v1
}  // namespace CORBA
