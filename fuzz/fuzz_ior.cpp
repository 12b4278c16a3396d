// References from peers: IOR strings, corbalocs, IORs and profiles as octets. The first octet
// selects the kind. An accepted reference must be unchanged after it was written and read
// again.
#include "require.h"
#include <perigee/iop/components.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/iop/ior.h>
#include <perigee/iop/profile_codec.h>
#include <perigee/iop/security_mechanisms.h>

#include <cstdint>
#include <cstdlib>

namespace {

using namespace perigee;
using fuzz::require;

void try_components(const iop::IiopProfile& profile) {
  for (const iop::TaggedComponent& component : profile.components) {
    (void)iop::decode_orb_type(component.data);
    (void)iop::decode_giop_lite(component.data);
    if (const auto info = iop::decode_code_sets(component.data))
      require(iop::decode_code_sets(iop::encode_code_sets(*info).data) == *info);
    if (const auto address = iop::decode_alternate_address(component.data))
      require(iop::decode_alternate_address(iop::encode_alternate_address(*address).data) ==
              *address);
    if (const auto address = iop::decode_omniorb_unix_address(component.data))
      require(iop::decode_omniorb_unix_address(iop::encode_omniorb_unix_address(*address).data) ==
              *address);
    if (const auto address = iop::decode_ssl_address(component.data))
      require(iop::decode_ssl_address(iop::encode_ssl_address(*address).data) == *address);
    if (const auto addresses = iop::decode_tls_addresses(component.data))
      require(addresses->size() <= component.data.size() / 8);
    if (const auto context = iop::decode_code_set_context(component.data))
      require(iop::decode_code_set_context(iop::encode_code_set_context(*context)) == *context);
  }
}

void try_profile(const iop::TaggedProfile& tagged) {
  const auto profile = iop::decode_iiop_profile(tagged);
  if (!profile) return;
  for (const auto order : {std::endian::little, std::endian::big})
    require(iop::decode_iiop_profile(iop::encode_profile(*profile, order)) == *profile);
  try_components(*profile);
  const auto body = iop::make_iiop_codec()->decode(tagged, {});
  require(body && body->object_key == profile->object_key);
  require(iop::make_iiop_codec()->encode(*body).tag == iop::tag_internet_iop);
}

void try_ior_string(std::string_view text) {
  const auto ior = iop::parse_ior_string(text);
  if (!ior) return require(!ior.error().text.empty());
  const std::string again = iop::to_ior_string(*ior);
  const auto parsed = iop::parse_ior_string(again, {.ior_string_size_max = again.size()});
  require(parsed && *parsed == *ior);
  for (const iop::TaggedProfile& profile : ior->profiles) try_profile(profile);
}

void try_ior(OctetSpan octets, std::endian order) {
  cdr::Decoder decoder(octets, order);
  iop::Ior ior;
  decode(decoder, ior);
  require(decoder.ok() || ior.is_nil());
  for (const iop::TaggedProfile& profile : ior.profiles) try_profile(profile);
}

std::string to_text(const iop::Corbaloc& corbaloc) {
  std::string text = corbaloc.rir ? "corbaloc:rir:" : "corbaloc:";
  bool is_path = false;
  for (const iop::CorbalocAddress& address : corbaloc.addresses) {
    if (&address != &corbaloc.addresses.front()) text += ',';
    text += address.scheme + ':' + std::to_string(address.major) + '.' +
            std::to_string(address.minor) + '@' + address.address;
    is_path = address.scheme != "iiop" && address.address.find_first_of("/@") == 0;
  }
  return text + (is_path ? '|' : '/') + iop::escape_key(corbaloc.object_key);
}

void try_corbaloc(std::string_view text) {
  const auto corbaloc = iop::parse_corbaloc(text);
  if (!corbaloc) return require(!corbaloc.error().text.empty());
  require(corbaloc->rir == corbaloc->addresses.empty());
  for (const iop::CorbalocAddress& address : corbaloc->addresses)
    require(address.scheme != "iiop" || iop::parse_host_port(address.address, 1).has_value());
  require(iop::parse_corbaloc(to_text(*corbaloc)) == *corbaloc);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const std::uint8_t> input(data + 1, size - 1);
  const std::string text(input.begin(), input.end());
  const OctetSpan octets = std::as_bytes(input);
  switch (data[0] % 6) {
    case 0:
      try_ior_string("IOR:" + text);
      break;
    case 1:
      try_corbaloc("corbaloc:" + text);
      break;
    case 2:
      try_profile({iop::tag_internet_iop, Octets(octets.begin(), octets.end())});
      break;
    case 3:
      try_ior(octets, std::endian::little);
      break;
    case 4:
      try_ior(octets, std::endian::big);
      break;
    default:
      (void)iop::parse_host_port(text, 1);
      break;
  }
  return 0;
}
