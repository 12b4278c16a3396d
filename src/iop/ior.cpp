// IORs as CDR. CORBA 3.0, 13.6.2.
#include <perigee/iop/ior.h>

namespace perigee::iop {

namespace {

constexpr std::size_t profile_size_min = 8;  // a tag and a length

void decode_profiles(cdr::Decoder& decoder, std::vector<TaggedProfile>& profiles,
                     const IorLimits& limits) {
  const std::size_t count = decoder.read_length(profile_size_min);
  if (count > limits.profiles_max) return decoder.fail(cdr::ErrorKind::too_large);
  profiles.reserve(count);
  for (std::size_t index = 0; index < count && decoder.ok(); ++index) {
    const auto tag = decoder.read<std::uint32_t>();
    const OctetSpan data = decoder.read_octet_sequence();
    profiles.push_back({tag, Octets(data.begin(), data.end())});
  }
}

}  // namespace

void encode(cdr::Encoder& encoder, const Ior& ior) {
  encoder.write_string(ior.type_id);
  encoder.write_length(ior.profiles.size());
  for (const TaggedProfile& profile : ior.profiles) {
    encoder.write(profile.tag);
    encoder.write_length(profile.data.size());
    encoder.write_copied_octets(profile.data);  // `ior` may change before the sending
  }
}

void decode(cdr::Decoder& decoder, Ior& ior, const IorLimits& limits) {
  ior.profiles.clear();
  decoder.read_string(ior.type_id);
  decode_profiles(decoder, ior.profiles, limits);
  if (!decoder.ok()) ior = Ior{};
}

}  // namespace perigee::iop
