// The factory of scheme "uiop": connecting, and which profiles lead to UNIX-domain addresses here.
#include "transport/local/local_acceptor.h"
#include "transport/local/local_address.h"
#include "transport/stream/errors.h"
#include "transport/stream/stream_transport.h"
#include <perigee/iop/components.h>
#include <perigee/ipc/lsock.h>
#include <perigee/transport/local.h>

#include <array>
#include <mutex>
#include <set>
#include <string>

namespace perigee::transport {
namespace {

class LocalConnector final : public Connector {
 public:
  explicit LocalConnector(StreamQueues queues) noexcept : queues_(queues) {}

  std::expected<std::unique_ptr<Transport>, IoError> connect(
      const Endpoint& endpoint, std::chrono::milliseconds timeout) override {
    const auto place = parse_local_address(endpoint.address);
    if (endpoint.scheme != uiop_scheme || !place)
      return bad_address(IoOperation::connect, endpoint);
    const ipc::TimeLimit limit = timeout.count() > 0 ? ipc::TimeLimit(timeout) : ipc::forever;
    auto stream = ipc::lsock::Connector::connect(*place, limit);
    if (!stream) return failure(IoOperation::connect, stream.error(), endpoint);
    if (const auto status = set_queues(*stream, queues_); !status)
      return failure(IoOperation::connect, status.error(), endpoint);
    return std::make_unique<StreamTransport<ipc::lsock::Stream>>(std::move(*stream),
                                                                 to_string(endpoint));
  }

 private:
  StreamQueues queues_;
};

class LocalProtocol final : public ProtocolFactory {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "local"; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    static constexpr std::array names{uiop_scheme};
    return names;
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override {
    return make_connector_with({});
  }
  [[nodiscard]] std::uint32_t protocol_tag() const noexcept override { return tag_perigee_local; }
  [[nodiscard]] std::unique_ptr<Connector> make_connector_with(
      const Properties& properties) override {
    return std::make_unique<LocalConnector>(queues_of(properties));
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint) override {
    return listen_with(endpoint, {});
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen_with(
      const Endpoint& endpoint, const Properties& properties) override {
    const auto address = parse_local_listen_address(endpoint);
    if (address && address->for_omniorb) {
      const std::lock_guard lock(mutex_);
      for_omniorb_.insert(address->address);
    }
    return LocalAcceptor::listen(endpoint, queues_of(properties));
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
  [[nodiscard]] bool is_for_omniorb(const std::string& address) const {
    const std::lock_guard lock(mutex_);
    return for_omniorb_.contains(address);
  }

  mutable std::mutex mutex_;           // guards what follows
  std::set<std::string> for_omniorb_;  // addresses, once listened at so
};

/// An address of a host, if it is one.
void add_endpoint(std::vector<ProfileEndpoint>& endpoints, const std::string& host,
                  const std::string& address) {
  if (!parse_local_address(address)) return;
  const bool here = host == local_host_name();
  endpoints.push_back(
      {{std::string(uiop_scheme), address}, here ? Distance::same_host : Distance::other_host});
}

// omniORB's addresses are in components of IIOP profiles (interop fact 57). One that does not
// decode is passed over: the profile may lead elsewhere, too.
std::vector<ProfileEndpoint> LocalProtocol::claim(std::uint32_t tag,
                                                  const iop::ProfileBody& body) const {
  std::vector<ProfileEndpoint> endpoints;
  if (tag == tag_perigee_local) add_endpoint(endpoints, body.host, body.address);
  if (tag != iop::tag_internet_iop) return endpoints;
  for (const auto& component : body.components) {
    if (component.tag != iop::tag_omniorb_unix_address) continue;
    if (const auto address = iop::decode_omniorb_unix_address(component.data))
      add_endpoint(endpoints, address->host, address->path);
  }
  return endpoints;
}

iop::TaggedProfile LocalProtocol::make_profile(const Endpoint& endpoint,
                                               const ProfileSource& source) const {
  iop::ProfileBody body;
  body.major = source.major;
  body.minor = source.minor;
  body.object_key.assign(source.object_key.begin(), source.object_key.end());
  body.components.assign(source.components.begin(), source.components.end());
  const std::string host = local_host_name();
  // IIOP 1.0 profiles have no place for components (interop fact 45).
  if (source.minor > 0 && is_for_omniorb(endpoint.address)) {
    body.address = iop::join_host_port(host, 0);
    body.components.push_back(iop::encode_omniorb_unix_address({host, endpoint.address}));
    return iop::make_iiop_codec()->encode(body);
  }
  body.host = host;
  body.address = endpoint.address;
  return make_local_codec()->encode(body);
}

}  // namespace

std::unique_ptr<ProtocolFactory> make_local_protocol() { return std::make_unique<LocalProtocol>(); }

}  // namespace perigee::transport
