// A transport with a handshake, whose `receive` must also write, like that of TLS.
#pragma once

#include <perigee/transport/transport.h>

#include <memory>

namespace perigee::test {

/// Round trips that `open` of a handshake transport takes.
inline constexpr unsigned handshake_round_trips = 3;

/// Wraps one end of a connection. `open` exchanges octets with the other end, which must be
/// wrapped, too. A transfer before that fails. Afterwards each end must send its peer one octet
/// before its first message: `receive` sends it, if `send` has not. `receive` takes octets ahead in
/// records of 16 KiB, and the first `finish` that may not wait would block.
[[nodiscard]] std::unique_ptr<transport::Transport> add_handshake(
    std::unique_ptr<transport::Transport> inner, messaging::Role role);

}  // namespace perigee::test
