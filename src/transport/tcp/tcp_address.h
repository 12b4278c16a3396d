// Addresses of the scheme "iiop". Private to transport/tcp.
#pragma once

#include "transport/inet/listen_address.h"
#include "transport/stream/queues.h"
#include <perigee/base/io_error.h>
#include <perigee/ipc/connect_any.h>
#include <perigee/ipc/resolver.h>
#include <perigee/ipc/sock.h>
#include <perigee/transport/tcp.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace perigee::transport {

inline constexpr std::string_view iiop_scheme = "iiop";

/// Lists the failure of each address if several were tried, at most four.
IoError connect_error(const Endpoint& endpoint, const ipc::ConnectFailure& failure);

/// The options of connections. An empty option is left to the system.
struct TcpOptions {
  StreamQueues queues;
  bool no_delay = true;
  std::optional<bool> keep_alive;
  std::optional<bool> dont_route;
  std::optional<std::int64_t> dscp;
  bool share_port = false;  ///< of acceptors: several of them may listen at one port
};
/// `queues` holds the sizes that the properties do not set.
TcpOptions tcp_options(TcpQueues queues, const Properties& properties);
/// The options that are set before connecting and before listening. The sizes of the queues decide
/// the window of the handshake, and the segments of the handshake also have a class of service and
/// a route.
std::vector<ipc::io::OptionValue> early_options(const TcpOptions& options);
/// Sets the options of an accepted stream: all options except the queues, which the stream
/// inherits.
ipc::Status set_options(ipc::sock::Stream& stream, const TcpOptions& options);

}  // namespace perigee::transport
