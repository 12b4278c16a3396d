// Connects: resolves a name to addresses, and connects to one of them.
#include "transport/tcp/tcp_connector.h"

#include "transport/inet/inet_profile.h"
#include "transport/stream/errors.h"
#include "transport/stream/stream_transport.h"
#include "transport/tcp/tcp_address.h"
#include <perigee/base/clock.h>
#include <perigee/ipc/connect_any.h>
#include <perigee/ipc/resolver.h>

#include <chrono>
#include <span>
#include <utility>

namespace perigee::transport {
namespace {

/// The rest of `timeout` after the look-up of the name. A `timeout` of zero means no limit.
ipc::TimeLimit left_of(std::chrono::milliseconds timeout, TimePoint start) {
  if (timeout.count() <= 0) return ipc::forever;
  return timeout - (steady_clock().now() - start);
}

std::expected<std::unique_ptr<Transport>, IoError> transport_of(ipc::sock::Stream stream,
                                                                const Endpoint& endpoint) {
  const auto peer = stream.peer_address();
  if (!peer) return failure(IoOperation::connect, peer.error(), endpoint);  // it has disconnected
  return std::make_unique<StreamTransport<ipc::sock::Stream>>(std::move(stream),
                                                              peer_text(iiop_scheme, *peer));
}

class TcpConnect final : public ConnectInProgress {
 public:
  TcpConnect(const Endpoint& endpoint, std::span<const ipc::InetAddr> addresses,
             const TcpOptions& options)
      : endpoint_(endpoint), race_(addresses, {}, early_options(options)) {}

  std::expected<std::unique_ptr<Transport>, IoError> advance() override {
    switch (race_.advance()) {
      case ipc::io::ConnectRace::State::running:
        return nullptr;
      case ipc::io::ConnectRace::State::won:
        return transport_of(ipc::sock::stream_of(race_), endpoint_);
      case ipc::io::ConnectRace::State::lost:
        break;
    }
    return std::unexpected(connect_error(endpoint_, race_.failure()));
  }
  [[nodiscard]] int handle() const noexcept override { return race_.handle(); }
  [[nodiscard]] IoError timed_out() const override {
    return connect_error(endpoint_, race_.failure());
  }

 private:
  const Endpoint endpoint_;
  ipc::io::ConnectRace race_;
};

}  // namespace

Connector::Begun TcpConnector::begin(const Endpoint& endpoint) {
  const auto parts = server_address(endpoint, iiop_scheme);
  if (!parts) return std::unexpected(parts.error());
  const auto address = ipc::InetAddr::parse_host(parts->host, parts->port);
  if (!address) return nullptr;
  return std::make_unique<TcpConnect>(endpoint, std::span(&*address, 1), options_);
}

Connector::Begun TcpConnector::look_up(const Endpoint& endpoint) {
  const auto parts = server_address(endpoint, iiop_scheme);
  if (!parts) return std::unexpected(parts.error());
  const auto addresses = resolve_host(endpoint, parts->host, parts->port);
  if (!addresses) return std::unexpected(addresses.error());
  return std::make_unique<TcpConnect>(endpoint, *addresses, options_);
}

std::expected<std::unique_ptr<Transport>, IoError> TcpConnector::connect(
    const Endpoint& endpoint, std::chrono::milliseconds timeout) {
  const TimePoint start = steady_clock().now();
  const auto parts = server_address(endpoint, iiop_scheme);
  if (!parts) return std::unexpected(parts.error());
  const auto addresses = resolve_host(endpoint, parts->host, parts->port);
  if (!addresses) return std::unexpected(addresses.error());

  const auto options = early_options(options_);
  auto stream = ipc::sock::connect_any_with(*addresses, left_of(timeout, start), {}, options);
  if (!stream) return std::unexpected(connect_error(endpoint, stream.error()));
  return transport_of(std::move(*stream), endpoint);
}

}  // namespace perigee::transport
