// References inside of arguments and results: from the target to a client, and back.
#include "bridge/references.h"

#include <mutex>
#include <utility>

namespace perigee::bridge {

using transport::ProfileTarget;

std::optional<iop::Ior> References::through_bridge(const iop::Ior& ior) const {
  const std::vector<ProfileTarget> profiles = claim(ior);
  if (leads_here(profiles)) return std::nullopt;
  const auto found = choose(profiles);
  if (!found) return std::nullopt;
  const auto key = known_key(*found);
  if (!key) return std::nullopt;
  return make(ior.type_id, *found, *key);
}

std::optional<iop::Ior> References::at_target(const iop::Ior& ior, const AccessRules& rules) const {
  const std::vector<ProfileTarget> profiles = claim(ior);
  for (const ProfileTarget& profile : profiles) {
    if (!leads_here({&profile, 1})) continue;
    const Destination destination = find(profile.object_key);
    if (destination.target == nullptr) return std::nullopt;
    // The client must not make a server behind the bridge call an object that the rules refuse.
    if (!rules.allows_object(destination.object_key)) return std::nullopt;
    const Target& target = *destination.target;
    const transport::ProtocolFactory* const protocol = protocols_.find(target.endpoint.scheme);
    if (protocol == nullptr) return std::nullopt;
    const Found found = found_in(profile, target.endpoint);
    iop::Ior made{ior.type_id, {}};
    made.profiles.push_back(
        protocol->make_profile(target.endpoint, {.major = target.version.major,
                                                 .minor = target.version.minor,
                                                 .object_key = destination.object_key,
                                                 .components = found.components}));
    return made;
  }
  return std::nullopt;
}

}  // namespace perigee::bridge
