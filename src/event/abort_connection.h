// Ends a connection as a crash of its host would, to test the reaction of the peer.
#pragma once

namespace perigee::event {

/// A TCP connection ends at once: the peer gets a reset, and octets that are not sent yet are lost.
/// A thread that waits on the handle returns with an error. Does nothing to handles of other kinds,
/// whose peers know no reset. Any thread.
void abort_connection(int fd) noexcept;

}  // namespace perigee::event
