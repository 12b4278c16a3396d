// The factory of scheme "iiop", and the TCP addresses of IIOP profiles.
#include "transport/inet/inet_profile.h"
#include "transport/stream/errors.h"
#include "transport/tcp/tcp_acceptor.h"
#include "transport/tcp/tcp_address.h"
#include "transport/tcp/tcp_connector.h"
#include <perigee/iop/components.h>
#include <perigee/transport/tcp.h>

#include <algorithm>
#include <array>

namespace perigee::transport {

IoError connect_error(const Endpoint& endpoint, const ipc::ConnectFailure& failed) {
  constexpr std::size_t named_max = 4;
  IoError error = failure(IoOperation::connect, failed.error, endpoint).error();
  if (failed.attempts.size() < 2) return error;
  ipc::ConnectFailure named = failed;
  named.attempts.resize(std::min(failed.attempts.size(), named_max));
  error.endpoint += " (" + ipc::to_string(named);
  if (const auto more = failed.attempts.size() - named.attempts.size(); more != 0)
    error.endpoint += "; and " + std::to_string(more) + " more";
  error.endpoint += ")";
  return error;
}

TcpOptions tcp_options(TcpQueues queues, const Properties& properties) {
  const auto flag = [&](std::string_view name) -> std::optional<bool> {
    if (const auto value = properties.find(name)) return *value != 0;
    return std::nullopt;
  };
  return {queues_of(properties, {queues.send_size, queues.receive_size}),
          flag(property::no_delay).value_or(true),
          flag(property::keep_alive),
          flag(property::dont_route),
          properties.find(property::dscp),
          flag(property::share_port).value_or(false)};
}

std::vector<ipc::io::OptionValue> early_options(const TcpOptions& options) {
  std::vector<ipc::io::OptionValue> values;
  const auto add = [&values](auto option) { values.push_back({option.name, option.raw()}); };
  if (options.queues.send_size != 0) add(ipc::SendBuffer{options.queues.send_size});
  if (options.queues.receive_size != 0) add(ipc::ReceiveBuffer{options.queues.receive_size});
  add(ipc::NoDelay{options.no_delay});
  if (options.keep_alive) add(ipc::KeepAlive{*options.keep_alive});
  if (options.dont_route) add(ipc::DontRoute{*options.dont_route});
  if (options.dscp) add(ipc::Dscp{*options.dscp});
  return values;
}

ipc::Status set_options(ipc::sock::Stream& stream, const TcpOptions& options) {
  ipc::Status status = stream.set(ipc::NoDelay{options.no_delay});
  if (status && options.keep_alive) status = stream.set(ipc::KeepAlive{*options.keep_alive});
  if (status && options.dont_route) status = stream.set(ipc::DontRoute{*options.dont_route});
  if (status && options.dscp) status = stream.set(ipc::Dscp{*options.dscp});
  return status;
}

namespace {

class TcpProtocol final : public ProtocolFactory {
 public:
  explicit TcpProtocol(TcpQueues queues) noexcept : queues_(queues) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "tcp"; }
  [[nodiscard]] std::span<const std::string_view> schemes() const noexcept override {
    static constexpr std::array names{iiop_scheme};
    return names;
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector() override {
    return make_connector_with({});
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen(const Endpoint& endpoint) override {
    return listen_with(endpoint, {});
  }
  [[nodiscard]] std::uint32_t protocol_tag() const noexcept override {
    return iop::tag_internet_iop;
  }
  [[nodiscard]] std::unique_ptr<Connector> make_connector_with(
      const Properties& properties) override {
    return std::make_unique<TcpConnector>(tcp_options(queues_, properties));
  }
  std::expected<std::unique_ptr<Acceptor>, IoError> listen_with(
      const Endpoint& endpoint, const Properties& properties) override {
    return TcpAcceptor::listen(endpoint, tcp_options(queues_, properties));
  }
  [[nodiscard]] std::vector<ProfileEndpoint> claim(std::uint32_t tag,
                                                   const iop::ProfileBody& body) const override;
  [[nodiscard]] iop::TaggedProfile make_profile(const Endpoint& endpoint,
                                                const ProfileSource& source) const override;

 private:
  TcpQueues queues_;
};

std::vector<ProfileEndpoint> TcpProtocol::claim(std::uint32_t tag,
                                                const iop::ProfileBody& body) const {
  if (tag != iop::tag_internet_iop) return {};
  return inet_endpoints(iiop_scheme, body);
}

iop::TaggedProfile TcpProtocol::make_profile(const Endpoint& endpoint,
                                             const ProfileSource& source) const {
  return iop::make_iiop_codec()->encode(inet_profile_body(endpoint, source));
}

}  // namespace

std::unique_ptr<ProtocolFactory> make_tcp_protocol(TcpQueues queues) {
  return std::make_unique<TcpProtocol>(queues);
}

}  // namespace perigee::transport
