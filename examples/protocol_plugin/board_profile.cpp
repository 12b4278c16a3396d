// Profiles in CORBA's usual form: an encapsulation of version, host, endpoint, object key and
// components.
#include "board_profile.h"

#include <perigee/cdr/decoder.h>
#include <perigee/cdr/encoder.h>

#include <bit>

namespace board {
namespace {

namespace cdr = perigee::cdr;
namespace iop = perigee::iop;

class BoardCodec final : public iop::ProfileCodec {
 public:
  [[nodiscard]] std::uint32_t tag() const noexcept override { return profile_tag; }

  // The octets may come from any peer. Errors in them stay errors of the decoder.
  [[nodiscard]] std::expected<iop::ProfileBody, cdr::Error> decode(
      const iop::TaggedProfile& profile, const iop::IorLimits& limits) const override {
    cdr::Decoder decoder = cdr::Decoder::from_encapsulation(profile.data);
    iop::ProfileBody body;
    body.major = decoder.read<std::uint8_t>();
    body.minor = decoder.read<std::uint8_t>();
    decoder.read_string(body.host);
    decoder.read_string(body.address);
    iop::decode_key_and_components(decoder, body, limits);
    if (!decoder.ok()) return std::unexpected(decoder.error());
    return body;
  }

  [[nodiscard]] iop::TaggedProfile encode(const iop::ProfileBody& body) const override {
    const auto write = [&body](cdr::Encoder& encoder) {
      encoder.write(body.major);
      encoder.write(body.minor);
      encoder.write_string(body.host);
      encoder.write_string(body.address);
      iop::encode_key_and_components(encoder, body);
    };
    return {profile_tag, cdr::encode_encapsulation(std::endian::native, write)};
  }
};

}  // namespace

std::unique_ptr<iop::ProfileCodec> make_profile_codec() { return std::make_unique<BoardCodec>(); }

}  // namespace board
