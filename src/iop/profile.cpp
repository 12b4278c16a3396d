// The IIOP profile body. CORBA 3.0, 15.7.2; interop fact 45 of docs/interop.md: version 1.0 has no
// components, and 1.2 and later 1.x have the layout of 1.1.
#include <perigee/iop/components.h>
#include <perigee/iop/ior.h>

namespace perigee::iop {

TaggedProfile encode_profile(const IiopProfile& profile, std::endian order) {
  const auto write_body = [&profile](cdr::Encoder& encoder) {
    encoder.write(profile.major);
    encoder.write(profile.minor);
    encoder.write_string(profile.host);
    encoder.write(profile.port);
    encoder.write_length(profile.object_key.size());
    encoder.write_octets(profile.object_key);
    if (profile.minor == 0) return;
    encode_components(encoder, profile.components);
  };
  return {tag_internet_iop, cdr::encode_encapsulation(order, write_body)};
}

std::expected<IiopProfile, cdr::Error> decode_iiop_profile(const TaggedProfile& tagged,
                                                           const IorLimits& limits) {
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(tagged.data);
  IiopProfile profile;
  profile.major = decoder.read<std::uint8_t>();
  profile.minor = decoder.read<std::uint8_t>();
  if (decoder.ok() && profile.major != 1) decoder.fail(cdr::ErrorKind::bad_value);
  decoder.read_string(profile.host);
  profile.port = decoder.read<std::uint16_t>();
  const OctetSpan key = decoder.read_octet_sequence();
  profile.object_key.assign(key.begin(), key.end());
  if (profile.minor > 0) decode_components(decoder, profile.components, limits);
  if (!decoder.ok()) return std::unexpected(decoder.error());
  return profile;
}

}  // namespace perigee::iop
