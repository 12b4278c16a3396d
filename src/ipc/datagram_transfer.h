// Sends a datagram within a limit. Private to ipc.
#pragma once

#include "ipc/deadline.h"
#include "ipc/transfer.h"
#include <perigee/ipc/io_dgram.h>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace perigee::ipc::io {

/// Waits until a receiver in the UNIX domain has room; returns at once in other domains. An
/// unconnected socket stays writable while the queue of one receiver is full, but a socket that is
/// connected to that receiver does not. So the function waits on a connected socket of its own.
/// It does not change the sender's socket, which other threads may use.
[[nodiscard]] Waited wait_for_room_of(NativeName receiver, const Deadline& deadline) noexcept;

/// Goes on after a first try that has failed; `{0, EINTR}` means that there was no try. `call`
/// takes additional flags. `receiver` is empty if the socket is connected.
template <typename Call>
[[nodiscard]] Transfer send_datagram_after(Transfer failed, int fd, NativeName receiver,
                                           TimeLimit limit, Call&& call) noexcept {
  const auto wait = [&](const Deadline& deadline) {
    const Waited waited = wait_ready(fd, POLLOUT, deadline);
    return waited.error != 0 ? waited : wait_for_room_of(receiver, deadline);
  };
  return transfer_after(failed, wait, limit,
                        [&] { return call(limit.is_forever() ? 0 : MSG_DONTWAIT); });
}
template <typename Call>
[[nodiscard]] Transfer send_datagram_by_flags(int fd, NativeName receiver, TimeLimit limit,
                                              Call&& call) noexcept {
  return send_datagram_after({0, EINTR}, fd, receiver, limit, call);
}

}  // namespace perigee::ipc::io
