// Profiles of UNIX-domain addresses. They have the form of IIOP profiles, with a path in place of
// the port, and with components in every version.
#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>
#include <perigee/transport/local.h>

#include <bit>

namespace perigee::transport {
namespace {

class LocalCodec final : public iop::ProfileCodec {
 public:
  [[nodiscard]] std::uint32_t tag() const noexcept override { return tag_perigee_local; }

  [[nodiscard]] std::expected<iop::ProfileBody, cdr::Error> decode(
      const iop::TaggedProfile& profile, const iop::IorLimits& limits) const override {
    cdr::Decoder decoder = cdr::Decoder::from_encapsulation(profile.data);
    iop::ProfileBody body;
    body.major = decoder.read<std::uint8_t>();
    body.minor = decoder.read<std::uint8_t>();
    if (decoder.ok() && body.major != 1) decoder.fail(cdr::ErrorKind::bad_value);
    decoder.read_string(body.host);
    decoder.read_string(body.address);
    iop::decode_key_and_components(decoder, body, limits);
    if (!decoder.ok()) return std::unexpected(decoder.error());
    return body;
  }

  [[nodiscard]] iop::TaggedProfile encode(const iop::ProfileBody& body) const override {
    return {tag_perigee_local,
            cdr::encode_encapsulation(std::endian::native, [&body](cdr::Encoder& encoder) {
              encoder.write(body.major);
              encoder.write(body.minor);
              encoder.write_string(body.host);
              encoder.write_string(body.address);
              iop::encode_key_and_components(encoder, body);
            })};
  }
};

}  // namespace

std::unique_ptr<iop::ProfileCodec> make_local_codec() { return std::make_unique<LocalCodec>(); }

}  // namespace perigee::transport
