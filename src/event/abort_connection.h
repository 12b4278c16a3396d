// Ends a connection abruptly, to test the reaction of the peer.
#pragma once

namespace perigee::event {

/// A TCP connection ends at once: the peer gets a reset, and octets that are not sent yet are lost.
/// A thread that waits on the handle returns with an error. Some kernels refuse this while a thread
/// waits: then the peer gets the reset when the handle is closed. Other kinds of handles have no
/// reset: a connected datagram socket loses its peer's address, and all others stay as they are.
/// Any thread.
void abort_connection(int fd) noexcept;

}  // namespace perigee::event
