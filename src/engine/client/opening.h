// The handshake of a transport that a client has connected.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>
#include <perigee/base/io_error.h>
#include <perigee/transport/transport.h>

#include <chrono>
#include <expected>
#include <memory>

namespace perigee::engine {

/// A transport, or the error of connecting or of the handshake.
using MadeTransport = std::expected<std::unique_ptr<transport::Transport>, IoError>;

/// The longest handshake of a client if connecting has no limit.
inline constexpr std::chrono::seconds handshake_max{10};

/// Connects, and opens the transport if it has a handshake. Blocks for `timeout` at most (zero: the
/// system's own limit for the connect, and `handshake_max`).
[[nodiscard]] MadeTransport connect_and_open(transport::Connector& connector,
                                             const transport::Endpoint& endpoint,
                                             std::chrono::milliseconds timeout, const Clock& clock);

}  // namespace perigee::engine
