// The floors of the experiment: C-style servers that know only the size of a GIOP message. They
// wait with epoll, or with a blocking thread for each connection.
#include "connections.h"
#include "harness/raw_socket.h"
#include "raw_giop.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <iostream>
#include <thread>
#include <vector>

namespace perigee::bench {
namespace {

// Each request arrives whole: the client sends it with one call, and waits for the reply.
// At the end of the stream, closes the connection and returns false.
bool answer(int fd) {
  char request[4096];
  const ssize_t count = recv(fd, request, sizeof request, 0);
  if (count < 16) {
    close(fd);
    return false;
  }
  char reply[24] = {'G', 'I', 'O', 'P', 1, 2, 1, 1, 12, 0, 0, 0};
  std::memcpy(reply + 12, request + 12, 4);  // the request id
  (void)!send(fd, reply, sizeof reply, MSG_NOSIGNAL);
  return true;
}

void answer_all(int fd) {
  while (answer(fd)) {
  }
}

void serve(int epoll) {
  std::array<epoll_event, 256> events;
  while (true) {
    const int count = epoll_wait(epoll, events.data(), events.size(), -1);
    for (int index = 0; index < count; ++index)
      (void)answer(events[static_cast<std::size_t>(index)].data.fd);
  }
}

}  // namespace

int run_connections_server(std::size_t threads) {
  const int listener = open_raw_listener();
  std::vector<int> epolls;
  for (std::size_t index = 0; index < threads; ++index) {
    epolls.push_back(epoll_create1(EPOLL_CLOEXEC));
    check_call(epolls.back() >= 0, "epoll_create1");
    std::thread(serve, epolls.back()).detach();  // until the process is killed
  }
  for (std::size_t next = 0;; ++next) {
    const int fd = accept_raw(listener);
    if (fd >= 0) watch_raw(epolls[next % threads], fd);
  }
}

int run_connections_thread_server() {
  const int listener = open_raw_listener();
  while (true) {
    const int fd = accept_raw(listener);
    if (fd >= 0) std::thread(answer_all, fd).detach();  // until the client closes the connection
  }
}

}  // namespace perigee::bench
