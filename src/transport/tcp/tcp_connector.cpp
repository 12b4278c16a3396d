// Connecting: names to addresses, addresses to a connection.
#include "transport/tcp/tcp_connector.h"

#include "transport/tcp/tcp_address.h"
#include "transport/tcp/tcp_transport.h"
#include <perigee/base/clock.h>
#include <perigee/ipc/resolver.h>
#include <perigee/ipc/sock.h>

#include <cerrno>
#include <chrono>
#include <optional>

namespace perigee::transport {
namespace {

/// What is left of the connector's time-out; zero at the start means no limit.
class Budget {
 public:
  explicit Budget(std::chrono::milliseconds timeout) {
    if (timeout.count() > 0) end_ = steady_clock().now() + timeout;
  }
  [[nodiscard]] bool used_up() const { return end_ && left() <= Duration::zero(); }
  /// The share of the next of `addresses_left` addresses.
  [[nodiscard]] ipc::TimeLimit share(std::size_t addresses_left) const {
    if (!end_) return ipc::forever;
    return left() / static_cast<Duration::rep>(addresses_left);
  }

 private:
  [[nodiscard]] Duration left() const { return *end_ - steady_clock().now(); }
  std::optional<TimePoint> end_;
};

/// A connection to a free port of this host can meet itself, when the system happens to choose that
/// port as its own: nobody listens there.
bool is_connected_to_itself(const ipc::sock::Stream& stream) {
  const auto local = stream.local_address();
  return local && local == stream.peer_address();
}

ipc::Result<ipc::sock::Stream> connect_one(const ipc::InetAddr& address, ipc::TimeLimit limit) {
  auto stream = ipc::sock::Connector::connect(address, limit, ipc::NoDelay{true});
  if (stream && is_connected_to_itself(*stream)) {
    return std::unexpected(std::make_error_code(std::errc::connection_refused));
  }
  return stream;
}

}  // namespace

std::expected<std::unique_ptr<Transport>, IoError> TcpConnector::connect(
    const Endpoint& endpoint, std::chrono::milliseconds timeout) {
  const Budget budget(timeout);
  const auto parts = split_address(endpoint);
  if (!parts) return std::unexpected(parts.error());
  const auto port = parts->port.value_or(default_port);
  if (parts->host.empty() || port == 0) return bad_address(IoOperation::connect, endpoint);
  const auto addresses = resolve_host(endpoint, parts->host, port);
  if (!addresses) return std::unexpected(addresses.error());

  std::error_code last = std::make_error_code(std::errc::timed_out);
  std::size_t addresses_left = addresses->size();
  for (const auto& address : *addresses) {
    if (budget.used_up()) break;
    auto stream = connect_one(address, budget.share(addresses_left--));
    if (stream) return std::make_unique<TcpTransport>(std::move(*stream), peer_text(address));
    last = stream.error();
  }
  return failure(IoOperation::connect, last, endpoint);
}

}  // namespace perigee::transport
