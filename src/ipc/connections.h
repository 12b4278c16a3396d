// Tells after which errors of accept a listening socket can go on. Private to ipc.
#pragma once

namespace perigee::ipc {

/// Whether an error of accept concerns only the new connection, so that the caller tries again:
/// accept(2), "Error handling". Also true for a signal (EINTR).
[[nodiscard]] bool concerns_the_peer_only(int error) noexcept;

}  // namespace perigee::ipc
