// Turns the components of a policy into parts of references.
#include "orb/core/policy_components.h"

#include "orb/references/ior_components.h"

#include <span>

namespace perigee::orb {

PolicyComponents::PolicyComponents(const TaggedComponentPolicy& policy) {
  for (const IOP::TaggedComponent& component : policy.components()) {
    const OctetSpan data = std::as_bytes(std::span(component.component_data()));
    components_.push_back({component.tag(), Octets(data.begin(), data.end())});
  }
}

PolicyComponents::~PolicyComponents() = default;

void PolicyComponents::complete(iop::Ior& ior) const { add_components(ior, components_); }

}  // namespace perigee::orb
