// Profiles of examples/protocol_plugin with any octets, and their addresses. An accepted profile
// must be unchanged after it was written and read again.
#include "board_profile.h"
#include "require.h"
#include <perigee/transport/plugin.h>
#include <perigee/transport/registry.h>

#include <cstdint>
#include <cstdlib>
#include <span>

extern "C" const perigee::transport::Plugin* perigee_protocol_plugin();

namespace {

using namespace perigee;
using fuzz::require;

const transport::ProtocolRegistry& registry() {
  static const auto* const made = [] {
    transport::ProtocolParts parts;
    perigee_protocol_plugin()->make_parts(parts);
    auto* const fresh = new transport::ProtocolRegistry;
    require(fresh->add(std::move(parts)).has_value());
    return fresh;
  }();
  return *made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto octets = std::as_bytes(std::span(data, size));
  const iop::TaggedProfile profile{board::profile_tag, Octets(octets.begin(), octets.end())};
  const auto codec = board::make_profile_codec();
  const auto body = codec->decode(profile, {});
  if (body) require(codec->decode(codec->encode(*body), {}) == *body);
  const auto target = registry().claim(profile);
  if (!target) return 0;
  require(body.has_value() && !target->endpoints.empty());
  for (const auto& [endpoint, distance, is_protected] : target->endpoints) {
    require(registry().find(endpoint.scheme) != nullptr);
    require(endpoint.address.starts_with('/') && endpoint.address.find('\0') == std::string::npos);
    require(distance != transport::Distance::network);
  }
  return 0;
}
