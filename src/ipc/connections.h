// Declarations that the functions for making connections share. Private to ipc.
#pragma once

namespace perigee::ipc {

/// Errors of the new connection, not of accepting: accept(2), "Error handling".
[[nodiscard]] bool concerns_the_peer_only(int error) noexcept;

}  // namespace perigee::ipc
