// The protocols of a policy, and their order.
#include "orb/policies/protocol_preference.h"

#include <algorithm>

namespace perigee::orb {

ProtocolPreference::ProtocolPreference(const RTCORBA::ProtocolList& protocols) {
  for (const RTCORBA::Protocol& protocol : protocols) {
    const auto& properties = protocol.transport_protocol_properties();
    choices_.push_back({protocol.protocol_type(),
                        properties ? properties->_properties() : transport::Properties{}});
  }
}

std::optional<ProtocolPreference::Place> ProtocolPreference::place_of(
    const transport::ProtocolRegistry& protocols, const std::string& scheme) const {
  const transport::ProtocolFactory* const factory = protocols.find(scheme);
  if (factory == nullptr) return std::nullopt;
  const auto found = std::ranges::find(choices_, factory->protocol_tag(), &Choice::tag);
  if (found == choices_.end()) return std::nullopt;
  return Place{static_cast<std::size_t>(found - choices_.begin()), &found->properties};
}

}  // namespace perigee::orb
