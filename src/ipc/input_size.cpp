// Asks the system for the size of a socket's input.
#include "ipc/input_size.h"

#include <sys/ioctl.h>

namespace perigee::ipc {

std::size_t input_size(int fd) noexcept {
  int count = 0;
  return ::ioctl(fd, FIONREAD, &count) == 0 && count > 0 ? static_cast<std::size_t>(count) : 0;
}

}  // namespace perigee::ipc
