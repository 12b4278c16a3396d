// Checks the components of a policy before any reference contains them.
#include "orb/policies/define_policy.h"
#include <perigee/iop/components.h>
#include <perigee/iop/security_mechanisms.h>
#include <perigee/orb/tagged_component_policy.h>

#include <algorithm>
#include <string>
#include <utility>

namespace perigee {

namespace {

using CORBA::COMPLETED_NO;

// The components that the ORB's own profiles have, and those by which clients choose an address.
constexpr IOP::ComponentId tags_of_orb[] = {iop::tag_orb_type,
                                            iop::tag_code_sets,
                                            iop::tag_policies,
                                            iop::tag_alternate_iiop_address,
                                            iop::tag_ssl_sec_trans,
                                            iop::tag_security_mechanisms,
                                            iop::tag_tls_transport,
                                            iop::tag_giop_lite,
                                            iop::tag_omniorb_unix_address};

void check_sizes(const IOP::TaggedComponentSeq& components) {
  if (components.size() > TaggedComponentPolicy::components_max)
    throw CORBA::IMP_LIMIT(0, COMPLETED_NO,
                           "a TaggedComponentPolicy with " + std::to_string(components.size()) +
                               " components; at most " +
                               std::to_string(TaggedComponentPolicy::components_max) +
                               " are possible");
  std::size_t octets = 0;
  for (const IOP::TaggedComponent& component : components)
    octets += component.component_data().size();
  if (octets > TaggedComponentPolicy::octets_max)
    throw CORBA::IMP_LIMIT(0, COMPLETED_NO,
                           "the components of a TaggedComponentPolicy have " +
                               std::to_string(octets) + " octets; at most " +
                               std::to_string(TaggedComponentPolicy::octets_max) + " are possible");
}

IOP::TaggedComponentSeq checked(IOP::TaggedComponentSeq components) {
  check_sizes(components);
  for (const IOP::TaggedComponent& component : components)
    if (std::ranges::find(tags_of_orb, component.tag()) != std::ranges::end(tags_of_orb))
      throw CORBA::BAD_PARAM(0, COMPLETED_NO,
                             "the component tag " + std::to_string(component.tag()) +
                                 " belongs to the ORB; choose another tag");
  return components;
}

}  // namespace

TaggedComponentPolicy::TaggedComponentPolicy(IOP::TaggedComponentSeq components)
    : components_(checked(std::move(components))) {}

PERIGEE_DEFINE_CALL_POLICY(TaggedComponentPolicy, TAGGED_COMPONENT_POLICY_TYPE, components_)

CORBA::object_reference<CORBA::Policy> make_tagged_components(IOP::TaggedComponentSeq components) {
  return CORBA::object_reference<CORBA::Policy>(
      make_counted<TaggedComponentPolicy>(std::move(components)));
}

}  // namespace perigee
