// Aborts a connection by a connect to AF_UNSPEC: connect(2).
#include "event/abort_connection.h"

#include <sys/socket.h>

namespace perigee::event {

// If the kernel refuses this connect because a thread waits on the handle, the linger time of 0
// makes it send the reset when the handle is closed.
void abort_connection(int fd) noexcept {
  const linger none{.l_onoff = 1, .l_linger = 0};
  static_cast<void>(::setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none));
  const sockaddr no_peer{.sa_family = AF_UNSPEC, .sa_data = {}};
  [[maybe_unused]] const int dissolved = ::connect(fd, &no_peer, sizeof no_peer);
}

}  // namespace perigee::event
