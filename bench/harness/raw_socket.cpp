// Moves octets over a socket in the way of a C program, without the typed wrappers.
#include "raw_socket.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace perigee::bench {

void check_call(bool succeeded, const char* what) {
  if (!succeeded) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

void send_all(int fd, const void* octets, std::size_t size) {
  const char* next = static_cast<const char*>(octets);
  while (size > 0) {
    const ssize_t count = send(fd, next, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    check_call(count > 0, "send");
    next += count;
    size -= static_cast<std::size_t>(count);
  }
}

std::size_t receive_some(int fd, void* space, std::size_t size) {
  ssize_t count = -1;
  do count = recv(fd, space, size, 0);
  while (count < 0 && errno == EINTR);
  check_call(count >= 0, "recv");
  return static_cast<std::size_t>(count);
}

bool receive_all(int fd, void* space, std::size_t size) {
  char* next = static_cast<char*>(space);
  while (size > 0) {
    const std::size_t count = receive_some(fd, next, size);
    if (count == 0) return false;
    next += count;
    size -= count;
  }
  return true;
}

}  // namespace perigee::bench
