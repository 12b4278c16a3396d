// Connecting: names to addresses, addresses to a connection.
#include "transport/tcp/tcp_connector.h"

#include "transport/stream/errors.h"
#include "transport/stream/stream_transport.h"
#include "transport/tcp/tcp_address.h"
#include <perigee/base/clock.h>
#include <perigee/ipc/connect_any.h>
#include <perigee/ipc/resolver.h>

#include <chrono>

namespace perigee::transport {
namespace {

/// What is left of the connector's time-out after the names were looked up; zero: no limit.
ipc::TimeLimit left_of(std::chrono::milliseconds timeout, TimePoint start) {
  if (timeout.count() <= 0) return ipc::forever;
  return timeout - (steady_clock().now() - start);
}

}  // namespace

std::expected<std::unique_ptr<Transport>, IoError> TcpConnector::connect(
    const Endpoint& endpoint, std::chrono::milliseconds timeout) {
  const TimePoint start = steady_clock().now();
  const auto parts = split_address(endpoint);
  if (!parts) return std::unexpected(parts.error());
  const auto port = parts->port.value_or(default_port);
  if (parts->host.empty() || port == 0) return bad_address(IoOperation::connect, endpoint);
  const auto addresses = resolve_host(endpoint, parts->host, port);
  if (!addresses) return std::unexpected(addresses.error());

  const auto options = early_options(options_);
  auto stream = ipc::sock::connect_any_with(*addresses, left_of(timeout, start), {}, options);
  if (!stream) return std::unexpected(connect_error(endpoint, stream.error()));
  const auto peer = stream->peer_address();
  if (!peer) return failure(IoOperation::connect, peer.error(), endpoint);  // gone already
  return std::make_unique<StreamTransport<ipc::sock::Stream>>(std::move(*stream), peer_text(*peer));
}

}  // namespace perigee::transport
