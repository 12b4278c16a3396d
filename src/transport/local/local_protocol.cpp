// The factory of the scheme "uiop". Its `claim` finds the UNIX-domain addresses in profiles, and
// decides whether each address belongs to this host.
#include "transport/local/local_acceptor.h"
#include "transport/local/local_address.h"
#include "transport/local/local_connector.h"
#include "transport/local/local_place.h"
#include "transport/local/local_trust.h"
#include <perigee/iop/components.h>
#include <perigee/transport/local.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace perigee::transport {
namespace {

class LocalProtocol final : public ProtocolFactory {
 public:
  explicit LocalProtocol(LocalTrust trust) : trust_(std::move(trust)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "local"; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    static constexpr std::array names{uiop_scheme};
    return names;
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override {
    return make_connector_with({});
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint) override {
    return listen_with(endpoint, {});
  }
  [[nodiscard]] std::uint32_t protocol_tag() const noexcept override { return tag_perigee_local; }
  [[nodiscard]] std::unique_ptr<Connector> make_connector_with(
      const Properties& properties) override {
    return std::make_unique<LocalConnector>(trust_, queues_of(properties));
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen_with(
      const Endpoint& endpoint, const Properties& properties) override {
    auto acceptor = LocalAcceptor::listen(endpoint, queues_of(properties));
    if (acceptor) remember_place((*acceptor)->published().address);
    return acceptor;
  }
  [[nodiscard]] std::vector<std::unique_ptr<iop::ProfileCodec>> make_profile_codecs() override {
    std::vector<std::unique_ptr<iop::ProfileCodec>> codecs;
    codecs.push_back(make_local_codec());
    return codecs;
  }
  [[nodiscard]] std::vector<ProfileEndpoint> claim(std::uint32_t tag,
                                                   const iop::ProfileBody& body) const override;
  [[nodiscard]] iop::TaggedProfile make_profile(const Endpoint& endpoint,
                                                const ProfileSource& source) const override;

 private:
  void remember_place(const std::string& address);
  [[nodiscard]] iop::TaggedComponent place_of(const std::string& address) const;

  const LocalTrust trust_;
  mutable std::mutex mutex_;                            // guards the members below
  std::map<std::string, iop::TaggedComponent> places_;  // by address: where its acceptor was opened
};

void LocalProtocol::remember_place(const std::string& address) {
  const auto place = encode_place(place_seen_here(address));
  const std::lock_guard lock(mutex_);
  places_.insert_or_assign(address, place);
}

// The place where the acceptor was opened, even if the path has changed since.
iop::TaggedComponent LocalProtocol::place_of(const std::string& address) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = places_.find(address); known != places_.end()) return known->second;
  }
  return encode_place(place_seen_here(address));
}

/// The addresses of one profile. An invalid or undecodable address is skipped: the profile may have
/// other addresses.
class Addresses {
 public:
  explicit Addresses(const LocalTrust& trust) : trust_(trust) {}

  /// Perigee's component contains the place of the address (see LocalPlace). If -ORBUiopTrust lists
  /// folders, the system is not asked about a path outside of these folders: an untrusted sender
  /// may have chosen the path.
  void add_place(const iop::TaggedComponent& component) {
    const auto place = decode_place(component.data);
    const auto address = place ? parse_local_address(place->address) : std::nullopt;
    if (address) add(place->address, trusts_place(trust_, address->text) && is_here(*place));
  }
  /// Adds an address whose place is only a host's name, as in omniORB's component and in the body
  /// of a uiop profile.
  void add_of_host(const std::string& host, const std::string& address) {
    const auto parsed = parse_local_address(address);
    if (parsed && std::ranges::find(texts_, parsed->text) == texts_.end())
      add(address, host == local_host_name());
  }
  [[nodiscard]] std::vector<ProfileEndpoint> take() && { return std::move(endpoints_); }

 private:
  void add(const std::string& address, bool here) {
    const auto parsed = parse_local_address(address);
    if (!parsed) return;
    texts_.push_back(parsed->text);
    endpoints_.push_back(
        {{std::string(uiop_scheme), address}, here ? Distance::same_host : Distance::other_host});
  }

  const LocalTrust& trust_;
  std::vector<ProfileEndpoint> endpoints_;
  std::vector<std::string> texts_;
};

// omniORB's addresses are in components of IIOP profiles (interop fact 57 of docs/interop.md).
std::vector<ProfileEndpoint> LocalProtocol::claim(std::uint32_t tag,
                                                  const iop::ProfileBody& body) const {
  if (tag != tag_perigee_local && tag != iop::tag_internet_iop) return {};
  Addresses addresses(trust_);
  if (const auto* place = iop::find_component(body.components, tag_perigee_place))
    addresses.add_place(*place);
  if (tag == tag_perigee_local) addresses.add_of_host(body.host, body.address);
  for (const auto& component : body.components) {
    if (tag != iop::tag_internet_iop || component.tag != iop::tag_omniorb_unix_address) continue;
    if (const auto address = iop::decode_omniorb_unix_address(component.data))
      addresses.add_of_host(address->host, address->path);
  }
  return std::move(addresses).take();
}

// With omniORB's components (see LocalAcceptor::iiop_components), the result is an IIOP profile
// with port 0. omniORB makes such a profile for an object without other addresses (interop
// fact 57 of docs/interop.md).
iop::TaggedProfile LocalProtocol::make_profile(const Endpoint& endpoint,
                                               const ProfileSource& source) const {
  iop::ProfileBody body = to_body(source);
  const std::string host = local_host_name();
  if (iop::find_component(body.components, iop::tag_omniorb_unix_address) != nullptr) {
    body.address = iop::join_host_port(host, 0);
    return iop::make_iiop_codec()->encode(body);
  }
  body.host = host;
  body.address = endpoint.address;
  body.components.push_back(place_of(endpoint.address));
  return make_local_codec()->encode(body);
}

}  // namespace

std::unique_ptr<ProtocolFactory> make_local_protocol(LocalTrust trust) {
  return std::make_unique<LocalProtocol>(std::move(trust));
}

}  // namespace perigee::transport
