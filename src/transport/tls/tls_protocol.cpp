// The factory of scheme "ssliop", and the TLS addresses of IIOP profiles.
#include "transport/tls/tls_contexts.h"
#include "transport/tls/tls_wrapper.h"
#include <perigee/base/log.h>
#include <perigee/iop/components.h>
#include <perigee/iop/corbaloc.h>
#include <perigee/iop/security_mechanisms.h>
#include <perigee/ipc/inet_parse.h>
#include <perigee/transport/tls.h>

#include <algorithm>
#include <array>
#include <utility>

namespace perigee::transport {
namespace tls {
namespace {

constexpr std::uint16_t protected_by_tls =
    iop::integrity | iop::confidentiality | iop::detect_replay | iop::detect_misordering;

class TlsProtocol final : public ProtocolFactory {
 public:
  TlsProtocol(std::shared_ptr<ContextSource> source, std::unique_ptr<ProtocolFactory> tcp)
      : source_(std::move(source)), tcp_(std::move(tcp)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "tls"; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    static constexpr std::array names{tls_scheme};
    return names;
  }
  [[nodiscard]] std::uint32_t protocol_tag() const noexcept override {
    return iop::tag_ssl_sec_trans;
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override {
    return make_connector_with({});
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector_with(
      const Properties& properties) override {
    const auto wanted = properties.find(property::tls_verify);
    const bool verify = wanted ? *wanted != 0 : source_->options().verify_servers;
    return wrap(tcp_->make_connector_with(properties), wrapper(verify));
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint) override {
    return listen_with(endpoint, {});
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen_with(
      const Endpoint& endpoint, const Properties& properties) override;
  std::expected<void, IoError> reload() override { return source_->reload(); }
  [[nodiscard]] bool has_files() const noexcept override { return true; }
  [[nodiscard]] std::vector<ProfileEndpoint> claim(std::uint32_t tag,
                                                   const iop::ProfileBody& body) const override;
  [[nodiscard]] iop::TaggedProfile make_profile(const Endpoint& endpoint,
                                                const ProfileSource& source) const override;

 private:
  [[nodiscard]] SharedWrapper wrapper(bool verify) const {
    return std::make_shared<const TlsWrapper>(source_, verify);
  }
  [[nodiscard]] iop::SslAddress ssl_address(std::uint16_t port) const noexcept;

  const std::shared_ptr<ContextSource> source_;
  const std::unique_ptr<ProtocolFactory> tcp_;
};

std::expected<std::unique_ptr<Acceptor>, IoError> TlsProtocol::listen_with(
    const Endpoint& endpoint, const Properties& properties) {
  if (source_->current()->server == nullptr)
    return std::unexpected(
        IoError{IoErrorKind::bad_file, IoOperation::listen, 0,
                to_string(endpoint) + " (a server of TLS needs -ORBTlsCertificate)"});
  const auto accepting = wrapper(source_->options().verify_servers);
  return wrap(tcp_->listen_with(accepting->inner(endpoint), properties), accepting);
}

// Each address once, in the order of the profile, and at most `places_max` addresses: a client has
// no time to try more.
class Claimed {
 public:
  void add(std::string_view host, std::uint16_t port) {
    if (host.empty() || port == 0 || places_.size() == places_max) return;
    ProfileEndpoint place{
        {std::string(tls_scheme), iop::join_host_port(host, port)}, Distance::network, true};
    if (std::ranges::find(places_, place) == places_.end()) places_.push_back(std::move(place));
  }
  [[nodiscard]] std::vector<ProfileEndpoint> take() { return std::move(places_); }

 private:
  static constexpr std::size_t places_max = 64;
  std::vector<ProfileEndpoint> places_;
};

// In alternate addresses, port 0 stands for the port in the component TAG_SSL_SEC_TRANS. Other ORBs
// skip such addresses.
void claim_alternates(const iop::ProfileBody& body, std::uint16_t port, Claimed& claimed) {
  for (const auto& other : body.components) {
    if (other.tag != iop::tag_alternate_iiop_address) continue;
    const auto alternate = iop::decode_alternate_address(other.data);
    if (alternate && alternate->port == 0) claimed.add(alternate->host, port);
  }
}

// The profile of a server with several TLS ports has a component TAG_SSL_SEC_TRANS for each port.
// If the TLS address is on another host, the profile lists this address among the security
// mechanisms.
std::vector<ProfileEndpoint> TlsProtocol::claim(std::uint32_t tag,
                                                const iop::ProfileBody& body) const {
  if (tag != iop::tag_internet_iop) return {};
  Claimed claimed;
  std::uint16_t first_port = 0;
  const auto own = ipc::split_host_port(body.address);
  for (const auto& component : body.components) {
    if (component.tag == iop::tag_ssl_sec_trans) {
      const auto address = iop::decode_ssl_address(component.data);
      if (!address || !own) continue;
      claimed.add(own->host, address->port);
      if (first_port == 0) first_port = address->port;
    } else if (component.tag == iop::tag_security_mechanisms) {
      const auto addresses = iop::decode_tls_addresses(component.data);
      if (!addresses) continue;
      for (const auto& address : *addresses) claimed.add(address.host, address.port);
    }
  }
  claim_alternates(body, first_port, claimed);
  return claimed.take();
}

iop::SslAddress TlsProtocol::ssl_address(std::uint16_t port) const noexcept {
  iop::SslAddress address{protected_by_tls | iop::establish_trust_in_target, protected_by_tls,
                          port};
  const ClientCertificates clients = source_->options().client_certificates;
  if (clients != ClientCertificates::off) address.supports |= iop::establish_trust_in_client;
  if (clients == ClientCertificates::required) address.needs |= iop::establish_trust_in_client;
  return address;
}

// Profiles of version 1.0 have no components, so the profile has at least version 1.1.
iop::TaggedProfile TlsProtocol::make_profile(const Endpoint& endpoint,
                                             const ProfileSource& source) const {
  iop::ProfileBody body = to_body(source);
  body.minor = std::max<std::uint8_t>(body.minor, 1);
  const auto parts = ipc::split_host_port(endpoint.address);
  const std::uint16_t port =
      parts ? parts->port.value_or(iop::corbaloc_port_default) : std::uint16_t{0};
  body.address = iop::join_host_port(parts ? parts->host : std::string_view(), 0);
  body.components.push_back(iop::encode_ssl_address(ssl_address(port)));
  for (const Endpoint& alternate : source.alternates) {
    const auto other = ipc::split_host_port(alternate.address);
    if (other && other->port.value_or(iop::corbaloc_port_default) == port)
      body.components.push_back(iop::encode_alternate_address({std::string(other->host), 0}));
  }
  return iop::make_iiop_codec()->encode(body);
}

}  // namespace
}  // namespace tls

std::expected<std::unique_ptr<ProtocolFactory>, IoError> make_tls_protocol(
    const TlsOptions& options, std::unique_ptr<ProtocolFactory> tcp) {
  // Threads of an ORB may use TLS until the process has ended.
  OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, nullptr);
  auto source = std::make_shared<tls::ContextSource>(options);
  if (const auto read = source->reload(); !read) return std::unexpected(read.error());
  if (!options.verify_servers)
    log::write(log::Level::warning, "tls",
               "certificates of servers are not verified: any host can pose as a server");
  if (!options.key_log_file.empty())
    log::write(log::Level::warning, "tls",
               "the secrets of all connections are written to " + options.key_log_file);
  return std::make_unique<tls::TlsProtocol>(std::move(source), std::move(tcp));
}

}  // namespace perigee::transport
