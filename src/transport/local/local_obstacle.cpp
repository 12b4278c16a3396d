// Explains in words why LocalProtocol::claim refuses the addresses of a profile.
#include "transport/local/local_address.h"
#include "transport/local/local_place.h"
#include <perigee/iop/components.h>
#include <perigee/transport/local.h>

#include <optional>
#include <string>

namespace perigee::transport {
namespace {

std::optional<iop::ProfileBody> body_of(const iop::TaggedProfile& profile) {
  const auto codec =
      profile.tag == iop::tag_internet_iop ? iop::make_iiop_codec() : make_local_codec();
  if (profile.tag != codec->tag()) return std::nullopt;
  auto body = codec->decode(profile, {});
  if (!body) return std::nullopt;
  return std::move(*body);
}

// The host name that is compared if the profile has no component tag_perigee_place.
std::optional<std::string> host_of(const iop::ProfileBody& body, std::uint32_t tag,
                                   const std::string& address) {
  if (tag == tag_perigee_local && body.address == address) return body.host;
  for (const auto& component : body.components) {
    if (component.tag != iop::tag_omniorb_unix_address) continue;
    const auto decoded = iop::decode_omniorb_unix_address(component.data);
    if (decoded && decoded->path == address) return decoded->host;
  }
  return std::nullopt;
}

}  // namespace

std::string why_not_here(const iop::TaggedProfile& profile, const Endpoint& endpoint) {
  const auto body = endpoint.scheme == uiop_scheme ? body_of(profile) : std::nullopt;
  if (!body) return {};
  if (const auto* component = iop::find_component(body->components, tag_perigee_place)) {
    const auto place = decode_place(component->data);
    if (place && place->address == endpoint.address) return why_elsewhere(*place);
  }
  const auto host = host_of(*body, profile.tag, endpoint.address);
  if (!host || *host == local_host_name()) return {};
  return "it is on the host '" + *host + "', and this host is '" + local_host_name() + "'";
}

}  // namespace perigee::transport
