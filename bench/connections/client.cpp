// The client of all systems: one thread with many connections. `Load` uses TCP; ring_client.h has
// the load through shared memory. `Load` makes the request once, and then changes only its id.
#include "connections.h"
#include "harness/raw_socket.h"
#include "raw_giop.h"
#include "ring_client.h"

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <iostream>

namespace perigee::bench {
namespace {

/// Connections in a closed loop: each connection sends its next request when a reply has come.
class Load {
 public:
  Load(const std::string& reference, std::size_t count) : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    const RawTarget target = parse_raw_target(reference);
    request_ = make_raw_request(target, "cube_void");
    for (std::size_t index = 0; index < count; ++index) {
      fds_.push_back(connect_raw(target.port));
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.fd = fds_.back();
      check_call(epoll_ctl(epoll_, EPOLL_CTL_ADD, fds_.back(), &event) == 0, "epoll_ctl");
    }
  }

  void run(std::size_t calls) {
    to_send_ = calls;
    for (const int fd : fds_) send_next(fd);
    for (std::size_t to_receive = calls; to_receive > 0;) {
      std::array<epoll_event, 256> events;
      const int count = epoll_wait(epoll_, events.data(), events.size(), -1);
      for (int index = 0; index < count; ++index) {
        receive_raw_reply(events[static_cast<std::size_t>(index)].data.fd);
        --to_receive;
        send_next(events[static_cast<std::size_t>(index)].data.fd);
      }
    }
  }

 private:
  void send_next(int fd) {
    if (to_send_ == 0) return;
    --to_send_;
    ++request_id_;
    std::memcpy(request_.data() + 12, &request_id_, sizeof request_id_);
    send_raw(fd, request_);
  }

  int epoll_;
  std::string request_;
  std::uint32_t request_id_ = 0;
  std::size_t to_send_ = 0;
  std::vector<int> fds_;
};

template <typename Load>
int serve_load(Load& load) {
  std::cout << "ready" << std::endl;
  for (std::size_t calls = 0; std::cin >> calls;) {
    load.run(calls);
    std::cout << "ok" << std::endl;
  }
  return 0;
}

}  // namespace

int run_connections_client(const std::string& reference, std::size_t connections) {
  if (is_shared_memory_reference(reference)) {
    RingLoad load(reference, connections);
    return serve_load(load);
  }
  Load load(reference, connections);
  return serve_load(load);
}

}  // namespace perigee::bench
