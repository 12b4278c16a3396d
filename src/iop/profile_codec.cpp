// Functions that the codecs of several tags share.
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/iop/components.h>
#include <perigee/iop/profile_codec.h>

namespace perigee::iop {

void encode_key_and_components(cdr::Encoder& encoder, const ProfileBody& body) {
  encoder.write_length(body.object_key.size());
  encoder.write_octets(body.object_key);
  encode_components(encoder, body.components);
}

void decode_key_and_components(cdr::Decoder& decoder, ProfileBody& body, const IorLimits& limits) {
  const OctetSpan key = decoder.read_octet_sequence();
  body.object_key.assign(key.begin(), key.end());
  decode_components(decoder, body.components, limits);
}

}  // namespace perigee::iop
