// Transfers of one piece by the bare system call. The functions of the C library are cancellation
// points of threads, which cost a program with several threads four locked instructions each.
// Private to the transports of stream sockets.
#pragma once

#include "base/sanitizer.h"
#include <perigee/base/octets.h>
#include <perigee/ipc/io.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace perigee::transport {

// The thread sanitizer needs the C library's functions to learn that a send happens before the
// receive of the same octets.
inline constexpr bool bare_transfers = !under_thread_sanitizer;

/// Does the same as ipc::io::send.
[[gnu::always_inline]] inline ipc::io::Transfer send_bare(int fd, OctetSpan octets,
                                                          ipc::TimeLimit limit) noexcept {
  if constexpr (!bare_transfers) return ipc::io::send(fd, octets, limit);
  const long count =
      ::syscall(SYS_sendto, fd, octets.data(), octets.size(),
                ipc::system_calls::no_signal | ipc::io::flags_within(limit), nullptr, 0);
  if (count >= 0) [[likely]]
    return {static_cast<std::size_t>(count), 0};
  return ipc::io::send_again(fd, octets, limit);
}

/// Does the same as ipc::io::recv.
[[gnu::always_inline]] inline ipc::io::Transfer receive_bare(int fd, MutableOctetSpan space,
                                                             ipc::TimeLimit limit) noexcept {
  if constexpr (!bare_transfers) return ipc::io::recv(fd, space, limit);
  const long count = ::syscall(SYS_recvfrom, fd, space.data(), space.size(),
                               ipc::io::flags_within(limit), nullptr, nullptr);
  if (count >= 0) [[likely]]
    return {static_cast<std::size_t>(count), 0};
  return ipc::io::recv_again(fd, space, limit);
}

}  // namespace perigee::transport
