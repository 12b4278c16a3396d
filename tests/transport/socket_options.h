// Reads options of a transport's socket from the system.
#pragma once

#include <perigee/transport/transport.h>

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace perigee::test {

inline int socket_option(const transport::Transport& transport, int level, int number) {
  int value = -1;
  socklen_t size = sizeof(value);
  REQUIRE(::getsockopt(transport.readiness_fd(), level, number, &value, &size) == 0);
  return value;
}

}  // namespace perigee::test
