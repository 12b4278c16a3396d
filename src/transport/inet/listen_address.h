// The text form of an address that a server listens at, "host:port?publish=host:port,...", and the
// endpoints that its references publish.
#pragma once

#include <perigee/base/io_error.h>
#include <perigee/ipc/inet_addr.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::transport {

/// A host and a port, each of which may be left out.
struct PublishedAddress {
  std::string host;        ///< empty: every address of this host that others may reach
  std::uint16_t port = 0;  ///< 0: the port at which the server listens
};

struct ListenAddress {
  std::string host;                       ///< empty: all interfaces
  std::uint16_t port = 0;                 ///< 0: a free port
  std::vector<PublishedAddress> publish;  ///< empty: the host as it is written above
};

/// Parses the address of an endpoint of `scheme`. Errors: bad_address, with the whole endpoint and
/// the expected form.
std::expected<ListenAddress, IoError> parse_listen_address(const Endpoint& endpoint,
                                                           std::string_view scheme);

/// The endpoints that references publish for a socket that is bound to `bound`; at least one.
/// Clients try the first endpoint first.
std::vector<Endpoint> published_endpoints(std::string_view scheme, const ListenAddress& address,
                                          const ipc::InetAddr& bound);

/// The addresses of a host name. Errors: bad_address, with the resolver's code.
std::expected<std::vector<ipc::InetAddr>, IoError> resolve_host(const Endpoint& endpoint,
                                                                std::string_view host,
                                                                std::uint16_t port);

/// "iiop://127.0.0.1:40000"; an IPv4 address that came over IPv6 is shown as IPv4.
std::string peer_text(std::string_view scheme, const ipc::InetAddr& address);

}  // namespace perigee::transport
