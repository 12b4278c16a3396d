// Profiles of UNIX-domain addresses from peers, with a registry that can read them. An accepted
// profile must be unchanged after it was written and read again.
#include "require.h"
#include <perigee/iop/components.h>
#include <perigee/transport/local.h>
#include <perigee/transport/registry.h>

#include <cstdint>
#include <cstdlib>
#include <span>

namespace {

using namespace perigee;
using fuzz::require;

const transport::ProtocolRegistry& registry() {
  static const auto* const made = [] {
    auto* const fresh = new transport::ProtocolRegistry;
    require(fresh->add(transport::make_local_protocol()).has_value());
    return fresh;
  }();
  return *made;
}

void try_codec(const iop::TaggedProfile& profile) {
  const auto codec = transport::make_local_codec();
  const auto body = codec->decode(profile, {});
  if (!body) return require(!registry().claim(profile).has_value());
  require(codec->decode(codec->encode(*body), {}) == *body);
}

void try_claim(const iop::TaggedProfile& profile) {
  const auto target = registry().claim(profile);
  if (!target) return;
  require(!target->endpoints.empty());
  for (const auto& [endpoint, distance, is_protected] : target->endpoints) {
    require(endpoint.scheme == "uiop");
    require(endpoint.address.starts_with('/') || endpoint.address.starts_with('@'));
    require(distance != transport::Distance::network);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto octets = std::as_bytes(std::span(data + 1, size - 1));
  const bool is_iiop = data[0] % 2 == 1;
  const iop::TaggedProfile profile{is_iiop ? iop::tag_internet_iop : transport::tag_perigee_local,
                                   Octets(octets.begin(), octets.end())};
  if (!is_iiop) try_codec(profile);
  try_claim(profile);
  return 0;
}
