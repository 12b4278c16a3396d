// The clients of the experiment: idle, busy and slow clients, and clients with incomplete requests.
#include "connections/raw_giop.h"
#include "crowd.h"
#include "harness/raw_socket.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <stdexcept>

namespace perigee::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t connections_per_source = 10'000;

std::vector<int> connect_many(const RawTarget& target, std::size_t count) {
  std::vector<int> fds;
  for (std::size_t index = 0; index < count; ++index)
    fds.push_back(
        connect_raw(target.port, static_cast<std::uint8_t>(2 + index / connections_per_source)));
  return fds;
}

/// Connections in a closed loop that measure each call.
class BusyLoop {
 public:
  BusyLoop(const std::string& reference, std::size_t count) : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    const RawTarget target = parse_raw_target(reference);
    request_ = make_raw_request(target, "cube_void");
    for (const int fd : connect_many(target, count)) {
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = calls_.size();
      check_call(epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
      calls_.push_back({fd, {}});
    }
  }

  std::vector<double> run(std::size_t count) {
    std::vector<double> latencies;
    to_send_ = count;
    for (Call& call : calls_) send_next(call);
    while (latencies.size() < count) {
      std::array<epoll_event, 256> events;
      const int ready = epoll_wait(epoll_, events.data(), events.size(), -1);
      for (int index = 0; index < ready; ++index) {
        Call& call = calls_[events[static_cast<std::size_t>(index)].data.u64];
        receive_raw_reply(call.fd);
        latencies.push_back(
            std::chrono::duration<double, std::nano>(Clock::now() - call.begin).count());
        send_next(call);
      }
    }
    return latencies;
  }

 private:
  struct Call {
    int fd;
    Clock::time_point begin;
  };

  void send_next(Call& call) {
    if (to_send_ == 0) return;
    --to_send_;
    ++request_id_;
    std::memcpy(request_.data() + 12, &request_id_, sizeof request_id_);
    call.begin = Clock::now();
    send_raw(call.fd, request_);
  }

  int epoll_;
  std::string request_;
  std::uint32_t request_id_ = 0;
  std::size_t to_send_ = 0;
  std::vector<Call> calls_;
};

// Sends requests until the server takes no more octets. The server stops reading because the client
// does not read its replies.
class SlowReader {
 public:
  explicit SlowReader(int fd) : fd_(fd) {}

  // Whether the connection took any octets.
  bool fill(const std::string& request) {
    bool taken = false;
    for (;;) {
      const ssize_t count =
          send(fd_, request.data() + sent_, request.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count <= 0) return taken;
      taken = true;
      sent_ = (sent_ + static_cast<std::size_t>(count)) % request.size();
    }
  }

  void read_a_little() {
    std::array<char, 1024> space;
    const ssize_t count = recv(fd_, space.data(), space.size(), MSG_DONTWAIT);
    check_call(count > 0 || (count < 0 && errno == EAGAIN),
               "the server has closed the connection of a slow reader");
  }

 private:
  int fd_;
  std::size_t sent_ = 0;  // octets of the current request
};

// Fills each connection until the server has stopped reading from it. Until then the server is busy
// with large calls. This work must not count as a disturbance by slow clients.
void fill_all(std::vector<SlowReader>& readers, const std::string& request) {
  for (int quiet = 0; quiet < 5; ++quiet) {
    for (SlowReader& reader : readers)
      if (reader.fill(request)) quiet = 0;
    (void)poll(nullptr, 0, 50);
  }
}

}  // namespace

int run_crowd_idle(const std::string& reference, std::size_t connections) {
  const RawTarget target = parse_raw_target(reference);
  const std::string request = make_raw_request(target, "cube_void");
  for (const int fd : connect_many(target, connections)) {
    send_raw(fd, request);
    receive_raw_reply(fd);
  }
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
  }
  return 0;
}

int run_crowd_busy(const std::string& reference, std::size_t connections) {
  BusyLoop loop(reference, connections);
  std::cout << "ready" << std::endl;
  for (std::size_t calls = 0; std::cin >> calls;) {
    const std::vector<double> latencies = loop.run(calls);
    std::cout << percentile(latencies, 0.5) << ' ' << percentile(latencies, 0.99) << std::endl;
  }
  return 0;
}

int run_crowd_disturbers(const std::string& reference, std::size_t slow_readers,
                         std::size_t half_open) {
  const RawTarget target = parse_raw_target(reference);
  const std::string request = make_raw_request(target, "echo_octets", 16 * 1024);
  const std::vector<int> connected = connect_many(target, slow_readers);
  std::vector<SlowReader> slow(connected.begin(), connected.end());
  fill_all(slow, request);
  std::size_t number = 0;
  for (const int fd : connect_many(target, half_open))  // incomplete in the header, or in the body
    send_raw(fd, request.substr(0, ++number % 2 == 0 ? 7 : 1000));
  std::cout << "ready" << std::endl;
  pollfd input{STDIN_FILENO, POLLIN, 0};
  while (poll(&input, 1, 100) == 0)
    for (SlowReader& reader : slow) reader.read_a_little();
  return 0;
}

}  // namespace perigee::bench
