// The system calls of pipes, named or not: declared here and defined in src/ipc, like io.h. Use the
// wrappers.
#pragma once

#include <perigee/base/export.h>
#include <perigee/base/octets.h>
#include <perigee/ipc/fifo_addr.h>
#include <perigee/ipc/handle.h>
#include <perigee/ipc/io.h>
#include <perigee/ipc/result.h>
#include <perigee/ipc/system_calls.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace perigee::ipc {

/// The users that may open a named pipe, besides root. The process's umask may remove permissions.
enum class FifoAccess : std::uint8_t { owner, owner_and_group, everyone };

namespace io {

/// The octets of one `write` of up to this size stay together, even if other processes write, too
/// (the system's PIPE_BUF).
inline constexpr std::size_t pipe_atomic_size = 4096;

/// @name Like `send`, `recv`, `send_n` and `recv_n` of io.h. Pipes have no MSG_DONTWAIT. So a send
/// with a limit moves at most `pipe_atomic_size` octets in each call. Another process that uses the
/// same end can make a call wait longer.
/// @{
inline Transfer pipe_send(int fd, OctetSpan octets, TimeLimit limit) noexcept;
PERIGEE_API Transfer pipe_send(int fd, std::span<const OctetSpan> segments,
                               TimeLimit limit) noexcept;
inline Transfer pipe_recv(int fd, MutableOctetSpan space, TimeLimit limit) noexcept;
PERIGEE_API Transfer pipe_recv(int fd, std::span<const MutableOctetSpan> spaces,
                               TimeLimit limit) noexcept;
PERIGEE_API Transfer pipe_send_n(int fd, std::span<const OctetSpan> segments,
                                 TimeLimit limit) noexcept;
PERIGEE_API Transfer pipe_recv_n(int fd, std::span<const MutableOctetSpan> spaces,
                                 TimeLimit limit) noexcept;
/// @}

/// @name The parts of the inline functions that are in src/ipc. With a limit, they make the whole
/// transfer. Without a limit, they continue after the inline call has just failed, and read its
/// errno.
/// @{
PERIGEE_API Transfer pipe_send_again(int fd, OctetSpan octets, TimeLimit limit) noexcept;
PERIGEE_API Transfer pipe_recv_again(int fd, MutableOctetSpan space, TimeLimit limit) noexcept;
/// @}

inline Transfer pipe_send(int fd, OctetSpan octets, TimeLimit limit) noexcept {
  if (limit.is_forever()) [[likely]] {
    const auto count = system_calls::perigee_system_write(fd, octets.data(), octets.size());
    if (count >= 0) [[likely]]
      return {static_cast<std::size_t>(count), 0};
  }
  return pipe_send_again(fd, octets, limit);
}

inline Transfer pipe_recv(int fd, MutableOctetSpan space, TimeLimit limit) noexcept {
  if (limit.is_forever()) [[likely]] {
    const auto count = system_calls::perigee_system_read(fd, space.data(), space.size());
    if (count >= 0) [[likely]]
      return {static_cast<std::size_t>(count), 0};
  }
  return pipe_recv_again(fd, space, limit);
}

/// Makes a pipe: the first handle is the receiving end, the second the sending end.
PERIGEE_API Result<std::array<Handle, 2>> open_pipe();

/// Errors of the four functions below: those of the system. All except `create_fifo` also return
/// `not_supported` if the path is not a pipe.
PERIGEE_API Status create_fifo(const FifoAddr& address, FifoAccess access);
PERIGEE_API Status remove_fifo(const FifoAddr& address);
PERIGEE_API Result<Handle> open_fifo_sender(const FifoAddr& address, TimeLimit limit);
PERIGEE_API Result<Handle> open_fifo_receiver(const FifoAddr& address, TimeLimit limit);

/// Makes this process ignore SIGPIPE.
PERIGEE_API void ignore_sigpipe() noexcept;

}  // namespace io
}  // namespace perigee::ipc
