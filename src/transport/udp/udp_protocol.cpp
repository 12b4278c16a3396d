// The factory of scheme "diop", and its profiles.
#include "transport/inet/inet_profile.h"
#include "transport/udp/udp_acceptor.h"
#include "transport/udp/udp_carrier.h"
#include "transport/udp/udp_connector.h"
#include <perigee/ipc/inet_addr.h>
#include <perigee/transport/udp.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace perigee::transport {
namespace {

// Each peer takes a handle. By default, all peers together may take an eighth of the process's
// handles, but at least 64 and at most 1024.
std::uint32_t default_peers_max() noexcept {
  constexpr long least = 64;
  constexpr long most = 1024;
  return static_cast<std::uint32_t>(std::clamp(::sysconf(_SC_OPEN_MAX) / 8, least, most));
}

class DiopCodec final : public iop::ProfileCodec {
 public:
  [[nodiscard]] std::uint32_t tag() const noexcept override { return tag_diop; }
  [[nodiscard]] std::expected<iop::ProfileBody, cdr::Error> decode(
      const iop::TaggedProfile& profile, const iop::IorLimits& limits) const override {
    return iiop_->decode({iop::tag_internet_iop, profile.data}, limits);
  }
  [[nodiscard]] iop::TaggedProfile encode(const iop::ProfileBody& body) const override {
    iop::TaggedProfile profile = iiop_->encode(body);
    profile.tag = tag_diop;
    return profile;
  }

 private:
  const std::unique_ptr<iop::ProfileCodec> iiop_ = iop::make_iiop_codec();
};

class UdpProtocol final : public ProtocolFactory {
 public:
  explicit UdpProtocol(UdpOptions options) noexcept
      : peers_max_(options.peers_max != 0 ? options.peers_max : default_peers_max()) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "udp"; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    static constexpr std::array names{diop_scheme};
    return names;
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override {
    return std::make_unique<UdpConnector>();
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint) override {
    return UdpAcceptor::listen(endpoint, peers_max_);
  }
  [[nodiscard]] std::uint32_t protocol_tag() const noexcept override { return tag_diop; }
  [[nodiscard]] messaging::Carrier carrier() const noexcept override {
    return udp_carrier(ipc::InetAddr::Version::v4);
  }
  [[nodiscard]] std::vector<std::unique_ptr<iop::ProfileCodec>> make_profile_codecs() override {
    std::vector<std::unique_ptr<iop::ProfileCodec>> codecs;
    codecs.push_back(make_diop_codec());
    return codecs;
  }
  [[nodiscard]] std::vector<ProfileEndpoint> claim(std::uint32_t tag,
                                                   const iop::ProfileBody& body) const override;
  [[nodiscard]] iop::TaggedProfile make_profile(const Endpoint& endpoint,
                                                const ProfileSource& source) const override;

 private:
  const std::uint32_t peers_max_;
};

std::vector<ProfileEndpoint> UdpProtocol::claim(std::uint32_t tag,
                                                const iop::ProfileBody& body) const {
  if (tag != tag_diop) return {};
  return inet_endpoints(diop_scheme, body);
}

iop::TaggedProfile UdpProtocol::make_profile(const Endpoint& endpoint,
                                             const ProfileSource& source) const {
  return make_diop_codec()->encode(inet_profile_body(endpoint, source));
}

}  // namespace

std::unique_ptr<iop::ProfileCodec> make_diop_codec() { return std::make_unique<DiopCodec>(); }

std::unique_ptr<ProtocolFactory> make_udp_protocol(UdpOptions options) {
  return std::make_unique<UdpProtocol>(options);
}

}  // namespace perigee::transport
