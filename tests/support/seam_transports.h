// Transports that use the seams of the interface: one with a handshake, whose receive has to write
// (as TLS); another lets its user encode in place (as a ring in shared memory).
#pragma once

#include <perigee/transport/transport.h>

#include <memory>

namespace perigee::test {

/// Round trips that `open` of a handshake transport takes.
inline constexpr unsigned handshake_round_trips = 3;

/// Wraps one end of a connection. `open` exchanges octets with the other end, which must be
/// wrapped, too. A transfer before that fails. Afterwards each end owes its peer one octet before
/// its first message: `receive` sends it, if `send` has not. `receive` takes octets ahead in
/// records of 16 KiB, and `finish` has to be called twice.
[[nodiscard]] std::unique_ptr<transport::Transport> add_handshake(
    std::unique_ptr<transport::Transport> inner, messaging::Role role);

/// Wraps one end of a connection. `begin_direct` gives memory of `capacity` octets.
[[nodiscard]] std::unique_ptr<transport::Transport> add_direct_encoding(
    std::unique_ptr<transport::Transport> inner, std::size_t capacity = 64 * 1024);

}  // namespace perigee::test
