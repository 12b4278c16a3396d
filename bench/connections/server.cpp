// The floor of the experiment: a C-style epoll server that knows of GIOP only how long a message
// is.
#include "connections.h"
#include "raw_giop.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
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

// Requests come whole: the client sends each with one call, and waits for the answer.
void answer(int fd) {
  char request[4096];
  const ssize_t count = recv(fd, request, sizeof request, 0);
  if (count < 16) {
    close(fd);
    return;
  }
  char reply[24] = {'G', 'I', 'O', 'P', 1, 2, 1, 1, 12, 0, 0, 0};
  std::memcpy(reply + 12, request + 12, 4);  // the request id
  (void)!send(fd, reply, sizeof reply, MSG_NOSIGNAL);
}

void serve(int epoll) {
  std::array<epoll_event, 256> events;
  while (true) {
    const int count = epoll_wait(epoll, events.data(), events.size(), -1);
    for (int index = 0; index < count; ++index)
      answer(events[static_cast<std::size_t>(index)].data.fd);
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
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    check_call(epoll_ctl(epolls[next % threads], EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
  }
}

}  // namespace perigee::bench
