// One poll that does not wait.
#include <perigee/event/writable.h>

#include <poll.h>

namespace perigee::event {

bool is_writable(int fd) noexcept {
  if (fd < 0) return true;
  pollfd entry{fd, POLLOUT, 0};
  return ::poll(&entry, 1, 0) != 0;
}

}  // namespace perigee::event
