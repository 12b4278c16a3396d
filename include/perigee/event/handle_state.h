// What a handle is ready for, without a reactor.
#pragma once

#include <perigee/base/export.h>

#include <chrono>

namespace perigee::event {

/// Whether a write would take something at once, or fail at once. True for -1, which stands for
/// what cannot be waited for.
PERIGEE_API bool is_writable(int fd) noexcept;
/// Whether a read would bring octets, or the end, at once. False for -1.
PERIGEE_API bool is_readable(int fd) noexcept;
/// Waits until a write would take something, for `limit` at most; not at all for -1. May come back
/// earlier.
PERIGEE_API void await_writable(int fd, std::chrono::milliseconds limit) noexcept;
/// Waits until a read would bring octets, or the end, for `limit` at most; not at all for -1. May
/// come back earlier.
PERIGEE_API void await_readable(int fd, std::chrono::milliseconds limit) noexcept;
/// Whether the peer of a connection sends no more, though what it has sent may be unread.
PERIGEE_API bool is_ended_by_peer(int fd) noexcept;

}  // namespace perigee::event
