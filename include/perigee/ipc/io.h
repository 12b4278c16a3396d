// The system calls of stream sockets, one thin function each. They handle EINTR, and set
// MSG_NOSIGNAL and SOCK_CLOEXEC. Public headers include no headers of the operating system, so most
// functions are defined in src/ipc. A transfer that succeeds at once is inline, and calls the
// functions of system_calls.h. The typed wrappers around these functions are inline and add no
// cost. Use the wrappers.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/ipc/handle.h>
#include <perigee/ipc/inet_addr.h>
#include <perigee/ipc/result.h>
#include <perigee/ipc/system_calls.h>
#include <perigee/ipc/unix_addr.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace perigee::ipc::io {

/// The result of a transfer: the octets moved, and why it stopped (an errno, or 0). The functions
/// `…_n` may set both. Fits in two registers.
struct Transfer {
  std::size_t count = 0;
  int error = 0;
};

/// The largest number of segments that one system call takes (IOV_MAX).
inline constexpr std::size_t segments_max = 1024;

/// @name One system call each, unless it is interrupted or has to wait. A receive of 0 octets
/// without error is the end of the stream (`space` is not empty).
/// @{
inline Transfer send(int fd, OctetSpan octets, TimeLimit limit) noexcept;
inline Transfer send(int fd, std::span<const OctetSpan> segments, TimeLimit limit) noexcept;
inline Transfer recv(int fd, MutableOctetSpan space, TimeLimit limit) noexcept;
inline Transfer recv(int fd, std::span<const MutableOctetSpan> spaces, TimeLimit limit) noexcept;
/// @}

/// @name Transfer all octets. Stop earlier at an error, or, when receiving, at the end of the
/// stream (fewer octets without an error). The limit is for the whole transfer. With `no_wait`,
/// they move the octets that can be moved at once, and give EAGAIN if octets are left.
/// @{
inline Transfer send_n(int fd, OctetSpan octets, TimeLimit limit) noexcept;
PERIGEE_API Transfer send_n(int fd, std::span<const OctetSpan> segments, TimeLimit limit) noexcept;
PERIGEE_API Transfer recv_n(int fd, std::span<const MutableOctetSpan> spaces,
                            TimeLimit limit) noexcept;
/// @}

/// @name The parts of the inline functions that are in src/ipc. `…_again` continues after the
/// inline call has just failed, and reads its errno. For more than `segments_max` segments, it
/// makes the first call itself. `send_rest` continues after a first `send` that failed or was
/// short.
/// @{
PERIGEE_API Transfer send_again(int fd, OctetSpan octets, TimeLimit limit) noexcept;
PERIGEE_API Transfer recv_again(int fd, MutableOctetSpan space, TimeLimit limit) noexcept;
PERIGEE_API Transfer send_again(int fd, std::span<const OctetSpan> segments,
                                TimeLimit limit) noexcept;
PERIGEE_API Transfer recv_again(int fd, std::span<const MutableOctetSpan> spaces,
                                TimeLimit limit) noexcept;
PERIGEE_API Transfer send_rest(int fd, OctetSpan octets, Transfer first, TimeLimit limit) noexcept;
/// @}

// Always inline: a function call would cost more than the wrapper itself.

/// With a limit, the first call does not wait.
constexpr int flags_within(TimeLimit limit) noexcept {
  return limit.is_forever() ? 0 : system_calls::dont_wait;
}

[[gnu::always_inline]] inline Transfer send(int fd, OctetSpan octets, TimeLimit limit) noexcept {
  const auto count = system_calls::perigee_system_send(
      fd, octets.data(), octets.size(), system_calls::no_signal | flags_within(limit));
  if (count >= 0) [[likely]]
    return {static_cast<std::size_t>(count), 0};
  return send_again(fd, octets, limit);
}

[[gnu::always_inline]] inline Transfer recv(int fd, MutableOctetSpan space,
                                            TimeLimit limit) noexcept {
  const auto count =
      system_calls::perigee_system_recv(fd, space.data(), space.size(), flags_within(limit));
  if (count >= 0) [[likely]]
    return {static_cast<std::size_t>(count), 0};
  return recv_again(fd, space, limit);
}

[[gnu::always_inline]] inline Transfer send(int fd, std::span<const OctetSpan> segments,
                                            TimeLimit limit) noexcept {
  if (segments.size() <= segments_max) [[likely]] {
    const system_calls::Message message{.vectors = system_calls::vectors_of(segments),
                                        .vector_count = segments.size()};
    const auto sent = system_calls::perigee_system_sendmsg(
        fd, &message, system_calls::no_signal | flags_within(limit));
    if (sent >= 0) [[likely]]
      return {static_cast<std::size_t>(sent), 0};
  }
  return send_again(fd, segments, limit);
}

[[gnu::always_inline]] inline Transfer recv(int fd, std::span<const MutableOctetSpan> spaces,
                                            TimeLimit limit) noexcept {
  if (spaces.size() <= segments_max) [[likely]] {
    system_calls::Message message{.vectors = system_calls::vectors_of(spaces),
                                  .vector_count = spaces.size()};
    const auto got = system_calls::perigee_system_recvmsg(
        fd, &message, system_calls::close_on_exec | flags_within(limit));
    if (got >= 0) [[likely]]
      return {static_cast<std::size_t>(got), 0};
  }
  return recv_again(fd, spaces, limit);
}

/// Most transfers need one call only.
inline Transfer send_n(int fd, OctetSpan octets, TimeLimit limit) noexcept {
  if (!limit.is_forever() && !limit.is_no_wait()) {
    return send_n(fd, std::span<const OctetSpan>(&octets, 1), limit);
  }
  const Transfer first = send(fd, octets, limit);
  if (first.count == octets.size()) [[likely]]
    return first;
  return send_rest(fd, octets, first, limit);
}

/// @name From a file to a stream (sendfile), and from a stream to a file (splice), without a copy
/// in the program. They move up to `count` octets, at position `offset` of the file. A send that
/// moves 0 octets without an error means that the file ends at `offset`. Received octets are
/// counted when they are in the file. SIGPIPE is never raised. `…_n`: see `send_n` and `recv_n`; if
/// the file or stream ends earlier, they move fewer octets, without an error.
/// @{
PERIGEE_API Transfer send_file(int fd, int file, std::uint64_t offset, std::size_t count,
                               TimeLimit limit) noexcept;
PERIGEE_API Transfer send_file_n(int fd, int file, std::uint64_t offset, std::size_t count,
                                 TimeLimit limit) noexcept;
PERIGEE_API Transfer recv_file(int fd, int file, std::uint64_t offset, std::size_t count,
                               TimeLimit limit) noexcept;
PERIGEE_API Transfer recv_file_n(int fd, int file, std::uint64_t offset, std::size_t count,
                                 TimeLimit limit) noexcept;
/// @}

/// Octets in all segments together.
template <typename Segment>
[[nodiscard]] constexpr std::size_t total_size(std::span<const Segment> segments) noexcept {
  std::size_t total = 0;
  for (const auto& segment : segments) total += segment.size();
  return total;
}

/// Whether all segments are empty.
template <typename Segment>
[[nodiscard]] constexpr bool all_empty(std::span<const Segment> segments) noexcept {
  for (const auto& segment : segments) {
    if (!segment.empty()) return false;
  }
  return true;
}

enum class Blocking : std::uint8_t { yes, no };
enum class Side : std::uint8_t { local, peer };
enum class Direction : std::uint8_t { send, receive, both };

/// @name A stream socket of the address's domain.
/// @{
PERIGEE_API Result<Handle> open_stream(const InetAddr& address, Blocking blocking);
PERIGEE_API Result<Handle> open_stream(const UnixAddr& address, Blocking blocking);
/// @}

/// @name Connects a blocking handle. `no_wait` is not allowed here: see `start_connect`.
/// @{
PERIGEE_API Status connect(int fd, const InetAddr& remote, TimeLimit limit);
PERIGEE_API Status connect(int fd, const UnixAddr& remote, TimeLimit limit);
/// @}

/// @name Begins to connect a non-blocking handle.
/// @{
PERIGEE_API Status start_connect(int fd, const InetAddr& remote);
PERIGEE_API Status start_connect(int fd, const UnixAddr& remote);
/// @}
/// Completes the connection of `start_connect`, and makes the handle blocking.
PERIGEE_API Status finish_connect(int fd, TimeLimit limit);

/// @name Binds and listens.
/// @{
PERIGEE_API Status listen(int fd, const InetAddr& local);
PERIGEE_API Status listen(int fd, const UnixAddr& local);
/// @}
/// `fd` is a non-blocking listening handle; accepted handles are blocking. Skips connections that
/// the peer has closed before they were accepted.
PERIGEE_API Result<Handle> accept(int fd, TimeLimit limit);

/// @name The address that a handle is bound or connected to.
/// @{
PERIGEE_API Status name_of(int fd, Side side, InetAddr& address);
PERIGEE_API Status name_of(int fd, Side side, UnixAddr& address);
/// @}

/// Ends one direction of a connection, or both, and wakes the threads that wait on it. Errors are
/// ignored.
PERIGEE_API void shutdown(int fd, Direction direction) noexcept;
/// Removes the file of a path address; other addresses have no file.
PERIGEE_API void remove_name(const UnixAddr& address) noexcept;

/// The options behind the typed options (options.h).
enum class OptionName : std::uint8_t {
  no_delay,
  quick_ack,
  keep_alive,
  dont_route,
  traffic_class,  ///< the octet of the IP header: class of service and two more bits
  reuse_address,
  reuse_port,
  v6_only,
  send_buffer,
  receive_buffer,
  send_timeout,     ///< microseconds; 0: none
  receive_timeout,  ///< microseconds; 0: none
  linger,           ///< seconds; negative: off
  pipe_capacity,
  mcast_hops,
  mcast_loop,
  mcast_interface,  ///< the index of the interface
};
PERIGEE_API Status set_option(int fd, OptionName name, std::int64_t value);
PERIGEE_API Result<std::int64_t> get_option(int fd, OptionName name);

}  // namespace perigee::ipc::io
