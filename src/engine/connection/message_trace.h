// Writes messages to the log: their header fields for -ORBTraceLevel debug, and also their octets
// for -ORBTraceLevel trace. Tracing is slow, but only for connections that were made after it was
// turned on.
#pragma once

#include <perigee/cdr/buffer.h>
#include <perigee/messaging/protocol.h>

#include <string_view>

namespace perigee::engine {

/// Whether messages of connections that begin now are traced.
[[nodiscard]] bool tracing_messages() noexcept;

/// Logs the event of a connection, "opened" or "ended", after the name of the peer.
void trace_connection(std::string_view peer, std::string_view event) noexcept;
/// Logs a finished message that is about to be sent to `peer`.
void trace_sent(const messaging::Session& session, const cdr::Buffer& message,
                std::string_view peer) noexcept;
/// Logs a whole message that came from `peer`.
void trace_received(const messaging::Session& session, const messaging::IncomingMessage& message,
                    std::string_view peer) noexcept;

}  // namespace perigee::engine
