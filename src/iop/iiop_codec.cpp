// Converts between IIOP profiles and ProfileBody, the form that is the same for all protocols.
#include <perigee/iop/corbaloc.h>
#include <perigee/iop/profile_codec.h>

#include <string>
#include <utility>

namespace perigee::iop {

namespace {

class IiopCodec final : public ProfileCodec {
 public:
  [[nodiscard]] std::uint32_t tag() const noexcept override { return tag_internet_iop; }

  [[nodiscard]] std::expected<ProfileBody, cdr::Error> decode(
      const TaggedProfile& tagged, const IorLimits& limits) const override {
    auto profile = decode_iiop_profile(tagged, limits);
    if (!profile) return std::unexpected(profile.error());
    ProfileBody body;
    body.major = profile->major;
    body.minor = profile->minor;
    body.address = join_host_port(profile->host, profile->port);
    body.object_key = std::move(profile->object_key);
    body.components = std::move(profile->components);
    return body;
  }

  [[nodiscard]] TaggedProfile encode(const ProfileBody& body) const override {
    IiopProfile profile{body.major, body.minor, {}, 0, body.object_key, body.components};
    if (auto parts = parse_host_port(body.address, corbaloc_port_default)) {
      profile.host = std::move(parts->host);
      profile.port = parts->port;
    }
    return encode_profile(profile);
  }
};

}  // namespace

std::unique_ptr<ProfileCodec> make_iiop_codec() { return std::make_unique<IiopCodec>(); }

std::string join_host_port(std::string_view host, std::uint16_t port) {
  const std::string name(host);
  const bool has_colons = name.contains(':');
  return (has_colons ? "[" + name + "]" : name) + ":" + std::to_string(port);
}

}  // namespace perigee::iop
