// Where a server shall listen, as people write it: "host:port?publish=host:port,...". Private to
// transport/tcp.
#pragma once

#include <perigee/base/io_error.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace perigee::transport {

/// A host and a port, each of which may be left out.
struct PublishedAddress {
  std::string host;        ///< empty: every address of this host that others may reach
  std::uint16_t port = 0;  ///< 0: the port that is listened at
};

struct ListenAddress {
  std::string host;                       ///< empty: all interfaces
  std::uint16_t port = 0;                 ///< 0: one that is free
  std::vector<PublishedAddress> publish;  ///< empty: the host as it is written above
};

/// Errors: bad_address, with the whole endpoint and what would be right.
std::expected<ListenAddress, IoError> parse_listen_address(const Endpoint& endpoint);

}  // namespace perigee::transport
