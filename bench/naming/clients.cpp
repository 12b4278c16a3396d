// Many clients of a naming service, as a C program would connect them.
#include "connections/raw_giop.h"
#include "harness/raw_socket.h"
#include "harness/statistics.h"
#include "naming.h"
#include <perigee/iop/ior.h>

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perigee::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t connections_per_source = 10'000;

void append_text(std::string& message, const std::string& text) {
  append_ulong(message, text.size() + 1);
  message.append(text.c_str(), text.size() + 1);
}

/// The arguments of a request that begin with the name `id`.service.
std::string arguments_of(const std::string& id) {
  std::string arguments;
  append_ulong(arguments, 1);  // component
  append_text(arguments, id);
  append_text(arguments, "service");
  return arguments;
}

/// Makes the request number `number` of a client, with any request id. The reference is valid until
/// the next call.
using MakeRequest = std::function<std::string&(std::size_t client, std::size_t number)>;

/// Requests that resolve the name "resolved.service".
MakeRequest resolve_requests(const RawTarget& root) {
  return [request = make_encoded_request(root, "resolve", arguments_of("resolved"))](
             std::size_t, std::size_t) mutable -> std::string& { return request; };
}

/// The octets of a reference as an argument. In the file of names, it has 84 octets, as many as the
/// references that the C program inserts.
std::string encoded_reference() {
  iop::IiopProfile profile{.host = "server.example.org", .port = 2809};
  for (const char character : std::string_view("some-bound-object"))
    profile.object_key.push_back(static_cast<std::byte>(character));
  cdr::Buffer buffer;
  cdr::Encoder encoder(buffer);
  encode(encoder, iop::Ior{"", {iop::encode_profile(profile)}});
  std::string reference;
  for (const std::byte octet : buffer.flatten()) reference += static_cast<char>(octet);
  return reference;
}

/// Requests that bind names. A different number of clients binds different names.
MakeRequest bind_requests(const RawTarget& root, std::size_t clients) {
  return [root, reference = encoded_reference(), prefix = "bind" + std::to_string(clients) + '-',
          request = std::string()](std::size_t client, std::size_t number) mutable -> std::string& {
    std::string arguments =
        arguments_of(prefix + std::to_string(client) + '-' + std::to_string(number));
    while (arguments.size() % 4 != 0) arguments += '\0';
    request = make_encoded_request(root, "bind", arguments + reference);
    return request;
  };
}

double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

class Clients {
 public:
  /// Connects the clients, and makes one call with each.
  Clients(const RawTarget& target, std::size_t count, MakeRequest make_request)
      : epoll_(epoll_create1(EPOLL_CLOEXEC)), make_request_(std::move(make_request)) {
    check_call(epoll_ >= 0, "epoll_create1");
    for (std::size_t index = 0; index < count; ++index) {
      const auto source = static_cast<std::uint8_t>(2 + index / connections_per_source);
      calls_.push_back({.fd = connect_raw(target.port, source), .begin = {}});
      send(index);
      receive_raw_reply(calls_[index].fd);
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = index;
      check_call(epoll_ctl(epoll_, EPOLL_CTL_ADD, calls_[index].fd, &event) == 0, "epoll_ctl");
      idle_.push_back(index);
    }
  }

  /// The clients make calls in turn, with at most `in_flight_max` of them in progress. Returns the
  /// latencies in microseconds.
  std::vector<double> call(std::size_t count, std::size_t in_flight_max) {
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
    std::size_t sent = 0;
  };

  void send(std::size_t call) {
    std::string& request = make_request_(call, calls_[call].sent++);
    ++request_id_;
    std::memcpy(request.data() + 12, &request_id_, sizeof request_id_);
    calls_[call].begin = Clock::now();
    send_raw(calls_[call].fd, request);
  }

  int epoll_;
  MakeRequest make_request_;
  std::uint32_t request_id_ = 0;
  std::vector<Call> calls_;       // one for each client
  std::deque<std::size_t> idle_;  // the clients without a call, in turn
};

}  // namespace

int run_naming_clients(const std::string& root, std::size_t count) {
  const RawTarget target = parse_raw_target(root);
  Clients clients(target, count, resolve_requests(target));
  std::cout << "ready" << std::endl;
  for (std::size_t calls = 0; std::cin >> calls;) {
    const auto begin = Clock::now();
    const std::vector<double> latencies = clients.call(calls, naming_in_flight_max);
    const double seconds = microseconds_since(begin) / 1e6;
    const auto burst = Clock::now();
    (void)clients.call(count, count);
    std::cout << percentile(latencies, 0.5) << ' ' << percentile(latencies, 0.99) << ' '
              << static_cast<double>(calls) / seconds << ' ' << microseconds_since(burst) / 1e3
              << std::endl;
  }
  return 0;
}

int run_naming_binders(const std::string& root, std::size_t count, std::size_t calls) {
  const RawTarget target = parse_raw_target(root);
  Clients clients(target, count, bind_requests(target, count));
  const auto begin = Clock::now();
  (void)clients.call(calls, count);
  std::cout << static_cast<double>(calls) / (microseconds_since(begin) / 1e6) << std::endl;
  return 0;
}

}  // namespace perigee::bench
