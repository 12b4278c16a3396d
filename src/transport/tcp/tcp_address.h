// Addresses of the scheme "iiop". Private to transport/tcp.
#pragma once

#include <perigee/base/io_error.h>
#include <perigee/ipc/connect_any.h>
#include <perigee/ipc/options.h>
#include <perigee/ipc/resolver.h>
#include <perigee/transport/tcp.h>
#include <perigee/transport/transport.h>

#include <expected>
#include <string>
#include <vector>

namespace perigee::transport {

inline constexpr std::string_view iiop_scheme = "iiop";
/// Where a reference names no port. Source: CORBA 3.0, 13.6.10.3.
inline constexpr std::uint16_t default_port = 2809;

/// Names what happened to each address, if several were tried: at most four of them.
IoError connect_error(const Endpoint& endpoint, const ipc::ConnectFailure& failure);

/// The endpoint's host and port; they refer to its text.
std::expected<ipc::HostAndPort, IoError> split_address(const Endpoint& endpoint);
std::expected<std::vector<ipc::InetAddr>, IoError> resolve_host(const Endpoint& endpoint,
                                                                std::string_view host,
                                                                std::uint16_t port);

/// "iiop://127.0.0.1:40000"; an IPv4 address that came over IPv6 is shown as IPv4.
std::string peer_text(const ipc::InetAddr& address);

/// Sizes that are 0 are left to the system. Streams inherit their acceptor's.
template <typename Socket>
ipc::Status set_queues(Socket& socket, TcpQueues queues) {
  ipc::Status status;
  if (queues.send_size != 0) status = socket.set(ipc::SendBuffer{queues.send_size});
  if (status && queues.receive_size != 0)
    status = socket.set(ipc::ReceiveBuffer{queues.receive_size});
  return status;
}

}  // namespace perigee::transport
