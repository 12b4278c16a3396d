// Reads and adds the tagged components of references.
#include "base/octet_vector.h"
#include "orb/context/orb_context.h"
#include "orb/references/ior_components.h"
#include "orb/references/reference.h"
#include "orb/values/system_exceptions.h"
#include <perigee/orb/exceptions.h>
#include <perigee/orb/tagged_components.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace perigee {

namespace orb {

void add_components(iop::Ior& ior, std::span<const iop::TaggedComponent> components) {
  if (components.empty()) return;
  for (iop::TaggedProfile& profile : ior.profiles) {
    if (profile.tag != iop::tag_internet_iop) continue;
    auto decoded = iop::decode_iiop_profile(profile);
    if (!decoded || decoded->minor == 0) continue;
    decoded->components.insert(decoded->components.end(), components.begin(), components.end());
    profile = iop::encode_profile(*decoded);
  }
}

}  // namespace orb

namespace {

std::optional<iop::TaggedProfile> first_iiop_profile(const iop::Ior& ior) {
  const auto found =
      std::ranges::find(ior.profiles, iop::tag_internet_iop, &iop::TaggedProfile::tag);
  return found == ior.profiles.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

IOP::TaggedComponentSeq tagged_components(const CORBA::object_reference<CORBA::Object>& object,
                                          IOP::ComponentId tag) {
  if (!object) throw CORBA::INV_OBJREF(0, CORBA::COMPLETED_NO, "a nil reference");
  const orb::Reference* const reference = object->_reference().get();
  if (reference == nullptr)
    throw CORBA::NO_IMPLEMENT(orb::minor_not_of_local_objects, CORBA::COMPLETED_NO,
                              "a local object has no components");
  const auto profile = reference->use_ior(first_iiop_profile);
  if (!profile) return {};
  const auto decoded =
      iop::decode_iiop_profile(*profile, reference->context().settings.reference_limits);
  if (!decoded)
    throw CORBA::MARSHAL(0, CORBA::COMPLETED_NO, "the IIOP profile of the reference is malformed");
  IOP::TaggedComponentSeq found;
  for (const iop::TaggedComponent& component : decoded->components)
    if (component.tag == tag) found.emplace_back(tag, octet_vector(component.data));
  return found;
}

}  // namespace perigee
