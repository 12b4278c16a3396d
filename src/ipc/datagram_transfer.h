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

/// Waits until a local receiver has room. A socket of many peers stays writable while the queue of
/// one peer is full; a socket that is connected to that peer does not. So the function waits on a
/// connected socket of its own, and leaves the sender's socket as it is for its other users.
[[nodiscard]] Waited wait_for_room_of(NativeName receiver, const Deadline& deadline) noexcept;

/// Goes on after a first try that has failed; `{0, EINTR}` means that there was no try. `call`
/// takes additional flags. Without a receiver the socket is connected.
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
