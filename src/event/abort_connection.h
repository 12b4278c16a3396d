// Ends a connection as a crash of its host would, for tests of what peers make of it.
#pragma once

namespace perigee::event {

/// A TCP connection ends at once: the peer gets a reset, and what is not sent yet is lost. Whoever
/// waits on the handle comes back with an error. Does nothing to handles of other kinds, whose
/// peers know no reset. Any thread.
void abort_connection(int fd) noexcept;

}  // namespace perigee::event
