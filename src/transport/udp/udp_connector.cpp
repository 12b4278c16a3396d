// Choosing the peer of a socket.
#include "transport/udp/udp_connector.h"

#include "transport/inet/inet_profile.h"
#include "transport/inet/listen_address.h"
#include "transport/stream/ended_connect.h"
#include "transport/stream/errors.h"
#include "transport/udp/udp_carrier.h"
#include "transport/udp/udp_transport.h"
#include <perigee/ipc/inet_addr.h>
#include <perigee/ipc/sock.h>

#include <utility>
#include <vector>

namespace perigee::transport {
namespace {

EndedConnect::Made open_first(const std::vector<ipc::InetAddr>& addresses,
                              const Endpoint& endpoint) {
  std::error_code error;
  for (const ipc::InetAddr& address : addresses) {
    auto socket = ipc::sock::CoDgram::open(address);
    if (socket) return std::make_unique<UdpTransport>(std::move(*socket), address);
    error = socket.error();
  }
  return failure(IoOperation::connect, error, endpoint);
}

}  // namespace

Connector::Begun UdpConnector::begin(const Endpoint& endpoint) {
  const auto parts = server_address(endpoint, diop_scheme);
  if (!parts) return std::unexpected(parts.error());
  const auto address = ipc::InetAddr::parse_host(parts->host, parts->port);
  if (!address) return nullptr;
  return std::make_unique<EndedConnect>(open_first({*address}, endpoint));
}

Connector::Begun UdpConnector::look_up(const Endpoint& endpoint) {
  return std::make_unique<EndedConnect>(connect(endpoint, {}));
}

std::expected<std::unique_ptr<Transport>, IoError> UdpConnector::connect(
    const Endpoint& endpoint, std::chrono::milliseconds /*timeout*/) {
  const auto parts = server_address(endpoint, diop_scheme);
  if (!parts) return std::unexpected(parts.error());
  const auto addresses = resolve_host(endpoint, parts->host, parts->port);
  if (!addresses) return std::unexpected(addresses.error());
  return open_first(*addresses, endpoint);
}

}  // namespace perigee::transport
