// Many clients of a naming service, as a C program would connect them.
#include "connections/raw_giop.h"
#include "harness/raw_socket.h"
#include "harness/statistics.h"
#include "naming.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <iostream>

namespace perigee::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t connections_per_source = 10'000;

void append_text(std::string& message, const std::string& text) {
  append_ulong(message, text.size() + 1);
  message.append(text.c_str(), text.size() + 1);
}

/// A request that resolves the name "resolved.service".
std::string resolve_request(const RawTarget& root) {
  std::string name;
  append_ulong(name, 1);  // component
  append_text(name, "resolved");
  append_text(name, "service");
  return make_encoded_request(root, "resolve", name);
}

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

class Clients {
 public:
  Clients(const std::string& root, std::size_t count) : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    check_call(epoll_ >= 0, "epoll_create1");
    const RawTarget target = parse_raw_target(root);
    request_ = resolve_request(target);
    for (std::size_t index = 0; index < count; ++index) {
      const auto source = static_cast<std::uint8_t>(2 + index / connections_per_source);
      calls_.push_back({connect_raw(target.port, source), {}});
      send(index);
      receive_raw_reply(calls_[index].fd);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = index;
      check_call(epoll_ctl(epoll_, EPOLL_CTL_ADD, calls_[index].fd, &event) == 0, "epoll_ctl");
      idle_.push_back(index);
    }
  }

  /// Calls by the clients in turn, with at most `in_flight_max` of them in progress. Returns the
  /// latencies in microseconds.
  std::vector<double> resolve(std::size_t count, std::size_t in_flight_max) {
    std::vector<double> latencies;
    latencies.reserve(count);
    std::size_t sent = 0;
    const auto send_next = [&] {
      send(idle_.front());
      idle_.pop_front();
      ++sent;
    };
    while (sent < std::min({count, in_flight_max, calls_.size()})) send_next();
    std::array<epoll_event, 256> events;
    while (latencies.size() < count) {
      const int ready = epoll_wait(epoll_, events.data(), events.size(), -1);
      for (int index = 0; index < ready; ++index) {
        const std::size_t call = events[static_cast<std::size_t>(index)].data.u64;
        receive_raw_reply(calls_[call].fd);
        latencies.push_back(microseconds_since(calls_[call].begin));
        idle_.push_back(call);
        if (sent < count) send_next();
      }
    }
    return latencies;
  }

 private:
  struct Call {
    int fd;
    Clock::time_point begin;
  };

  void send(std::size_t call) {
    ++request_id_;
    std::memcpy(request_.data() + 12, &request_id_, sizeof request_id_);
    calls_[call].begin = Clock::now();
    send_raw(calls_[call].fd, request_);
  }

  int epoll_;
  std::string request_;
  std::uint32_t request_id_ = 0;
  std::vector<Call> calls_;       // one for each client
  std::deque<std::size_t> idle_;  // the clients without a call, in turn
};

}  // namespace

int run_naming_clients(const std::string& root, std::size_t count) {
  Clients clients(root, count);
  std::cout << "ready" << std::endl;
  for (std::size_t calls = 0; std::cin >> calls;) {
    const auto begin = Clock::now();
    const std::vector<double> latencies = clients.resolve(calls, naming_in_flight_max);
    const double seconds = microseconds_since(begin) / 1e6;
    const auto burst = Clock::now();
    (void)clients.resolve(count, count);
    std::cout << percentile(latencies, 0.5) << ' ' << percentile(latencies, 0.99) << ' '
              << static_cast<double>(calls) / seconds << ' ' << microseconds_since(burst) / 1e3
              << std::endl;
  }
  return 0;
}

}  // namespace perigee::bench
