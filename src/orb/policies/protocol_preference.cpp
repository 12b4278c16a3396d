// The protocols of a policy, and their order.
#include "orb/policies/protocol_preference.h"

#include <perigee/iop/components.h>

#include <algorithm>
#include <array>

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
  static const transport::Properties none;
  if (found == choices_.end() && allows_others_) return Place{choices_.size(), &none};
  if (found == choices_.end()) return std::nullopt;
  return Place{static_cast<std::size_t>(found - choices_.begin()), &found->properties};
}

// TLS is the only protocol that protects messages.
std::shared_ptr<const ProtocolPreference> ProtocolPreference::make_secured(
    const ProtocolPreference* preference, const Security& security) {
  constexpr std::uint32_t tls = iop::tag_ssl_sec_trans;
  std::shared_ptr<ProtocolPreference> made(new ProtocolPreference);
  if (preference != nullptr)
    *made = *preference;
  else
    made->choices_.push_back({tls, {}});
  made->allows_others_ = preference == nullptr && !security.is_protected;
  if (security.is_protected)
    std::erase_if(made->choices_, [](const Choice& choice) { return choice.tag != tls; });
  for (Choice& choice : made->choices_)
    if (choice.tag == tls && security.verifies)
      choice.properties.set(transport::property::tls_verify, *security.verifies);
  return made;
}

// References compare preferences by their addresses. So each result for a null `preference` is made
// only once.
std::shared_ptr<const ProtocolPreference> ProtocolPreference::secured(
    const std::shared_ptr<const ProtocolPreference>& preference, const Security& security) {
  if (preference != nullptr) return make_secured(preference.get(), security);
  using Shared = std::shared_ptr<const ProtocolPreference>;
  static const std::array<Shared, 6> made{
      make_secured(nullptr, {false, {}}),    make_secured(nullptr, {true, {}}),
      make_secured(nullptr, {false, false}), make_secured(nullptr, {true, false}),
      make_secured(nullptr, {false, true}),  make_secured(nullptr, {true, true})};
  const std::size_t verification = !security.verifies ? 0 : *security.verifies ? 2 : 1;
  return made[2 * verification + (security.is_protected ? 1 : 0)];
}

}  // namespace perigee::orb
