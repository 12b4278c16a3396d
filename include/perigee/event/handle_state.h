// The readiness of a handle, without a reactor.
#pragma once

#include <perigee/base/export.h>

#include <chrono>

namespace perigee::event {

/// Whether a write would not block: the handle takes octets, or the write fails. True for -1, which
/// stands for a handle that cannot be waited for.
PERIGEE_API bool is_writable(int fd) noexcept;
/// Whether a read would not block: it gives octets, or the end of the stream. False for -1.
PERIGEE_API bool is_readable(int fd) noexcept;
/// Waits until a write would not block, for `limit` at most. Does not wait for -1. May return
/// earlier.
PERIGEE_API void await_writable(int fd, std::chrono::milliseconds limit) noexcept;
/// Waits until a read would give octets, or the end of the stream, for `limit` at most. Does not
/// wait for -1. May return earlier.
PERIGEE_API void await_readable(int fd, std::chrono::milliseconds limit) noexcept;
/// Whether the peer of a connection has ended its output. Octets that it sent before may be unread.
PERIGEE_API bool is_ended_by_peer(int fd) noexcept;

}  // namespace perigee::event
