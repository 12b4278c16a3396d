// The floor of the experiment: passes each message to the other connection of its pair. It knows
// only the size of a message.
#include "bridge.h"
#include "connections/raw_giop.h"
#include "harness/raw_socket.h"
#include "messages.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <thread>
#include <vector>

namespace perigee::bench {
namespace {

void watch_pair(int epoll, int from, int to) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
  check_call(epoll_ctl(epoll, EPOLL_CTL_ADD, from, &event) == 0, "epoll_ctl");
}

// After one side of a pair has closed its connection, both sockets of the pair stay open until the
// process is killed. Clients close only at the end of the measurement.
void forward(int epoll) {
  MessageBuffer message;
  std::array<epoll_event, 256> events;
  while (true) {
    const int count = epoll_wait(epoll, events.data(), events.size(), -1);
    for (int index = 0; index < count; ++index) {
      const std::uint64_t pair = events[static_cast<std::size_t>(index)].data.u64;
      const int from = static_cast<int>(pair >> 32);
      const int to = static_cast<int>(pair & 0xffffffff);
      if (!message.receive(from) || !send_all(to, message.data(), message.size()))
        epoll_ctl(epoll, EPOLL_CTL_DEL, from, nullptr);
    }
  }
}

}  // namespace

int run_bridge_floor(std::uint16_t target, std::size_t threads) {
  const int listener = open_raw_listener();
  std::vector<int> epolls;
  for (std::size_t index = 0; index < threads; ++index) {
    epolls.push_back(epoll_create1(EPOLL_CLOEXEC));
    check_call(epolls.back() >= 0, "epoll_create1");
    std::thread(forward, epolls.back()).detach();  // until the process is killed
  }
  for (std::size_t next = 0;; ++next) {
    const int client = accept_raw(listener);
    if (client < 0) continue;
    const int server = connect_raw(target);
    watch_pair(epolls[next % threads], client, server);
    watch_pair(epolls[next % threads], server, client);
  }
}

}  // namespace perigee::bench
