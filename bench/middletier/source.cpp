// The source: one thread, with a connection for each client. A client sends its next request when
// it has received a reply. In bursts, all clients send at once, and again when all have their
// replies.
#include "harness/raw_socket.h"
#include "harness/statistics.h"
#include "relay_messages.h"
#include "roles.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace perigee::bench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t connections_per_address = 10'000;
constexpr milliseconds stalled_after{900};  // the system sends SYN again after a second
constexpr milliseconds drain_limit{10'000};

/// The contents of the server's reply.
enum class Answer : std::uint8_t { none, result, exception };

class Source {
 public:
  Source(const std::string& reference, std::size_t clients) : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    const RawTarget target = parse_raw_target(reference);
    request_ = make_relay_request(target);
    for (std::size_t index = 0; index < clients; ++index) {
      const Clock::time_point begin = Clock::now();
      const auto address = static_cast<std::uint8_t>(2 + index / connections_per_address);
      clients_.push_back({.fd = connect_raw(target.port, address)});
      if (Clock::now() - begin > stalled_after) ++stalled_;
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = index;
      check_call(epoll_ctl(epoll_, EPOLL_CTL_ADD, clients_.back().fd, &event) == 0, "epoll_ctl");
    }
  }

  SourceResult run(Window window, milliseconds delay, bool bursts) {
    bursts_ = bursts;
    result_ = {.stalled = stalled_};
    latencies_.clear();
    for (Client& client : clients_) client.replies = 0;
    begin_sending(delay);
    sending_ = true;
    turn_until(Clock::now() + milliseconds(window.warm_up_ms));
    std::cout << "begin" << std::endl;
    measuring_ = true;
    const Clock::time_point begin = Clock::now();
    turn_until(begin + milliseconds(window.measured_ms));
    measuring_ = sending_ = false;
    result_.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    std::cout << "end" << std::endl;
    drain();
    return finish();
  }

 private:
  struct Client {
    int fd;
    std::int64_t time_stamp = 0;  ///< of the outstanding request; 0: none
    std::size_t replies = 0;      ///< within the window
  };

  // Spreads the first requests over the time of the first replies.
  void begin_sending(milliseconds delay) {
    begun_ = 0;
    begin_ = Clock::now();
    spread_ = bursts_ ? milliseconds(0) : delay;
    send_first();
  }

  void send_first() {
    const auto passed = std::chrono::duration<double>(Clock::now() - begin_);
    const double part = spread_.count() == 0 ? 1 : passed / spread_;
    const auto due = static_cast<std::size_t>(part * static_cast<double>(clients_.size())) + 1;
    for (; begun_ < std::min(due, clients_.size()); ++begun_) send_next(clients_[begun_]);
  }

  void turn_until(Clock::time_point end) {
    while (Clock::now() < end) {
      if (begun_ < clients_.size()) send_first();
      turn();
    }
  }

  void drain() {
    const Clock::time_point limit = Clock::now() + drain_limit;
    while (waiting_ > 0 && Clock::now() < limit) turn();
    result_.lost = waiting_;
  }

  void turn() {
    std::array<epoll_event, 256> events;
    const int count = epoll_wait(epoll_, events.data(), events.size(), 1);
    for (int index = 0; index < count; ++index)
      take_answer(clients_[events[static_cast<std::size_t>(index)].data.u64]);
  }

  void take_answer(Client& client) {
    const Answer answer = receive(client);
    if (answer == Answer::none) return;
    --waiting_;
    if (measuring_ && answer == Answer::exception) ++result_.failures;
    if (measuring_ && answer == Answer::result) {
      ++client.replies;
      latencies_.push_back(static_cast<double>(now() - client.time_stamp) / 1e6);
    }
    client.time_stamp = 0;
    if (!sending_) return;
    if (!bursts_) return send_next(client);
    if (waiting_ == 0)
      for (Client& each : clients_) send_next(each);
  }

  // Servers send small replies with one call each. No other data arrives.
  static Answer receive(const Client& client) {
    std::array<char, 4096> reply;
    const ssize_t count = recv(client.fd, reply.data(), reply.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return Answer::none;
    check_call(count >= 0, "recv");
    std::uint32_t size = 0;
    std::uint32_t status = 0;
    if (count >= 24) {
      std::memcpy(&size, reply.data() + 8, sizeof size);
      std::memcpy(&status, reply.data() + 16, sizeof status);
    }
    if (count != static_cast<ssize_t>(size) + 12 || reply[7] != 1)
      throw std::runtime_error("the middle tier has sent no whole reply");
    if (status != 0) return Answer::exception;
    std::int64_t time_stamp = 0;
    std::memcpy(&time_stamp, reply.data() + count - time_stamp_size, sizeof time_stamp);
    if (time_stamp != client.time_stamp)
      throw std::runtime_error("the reply has another time stamp than the request");
    return Answer::result;
  }

  // Each request has its own time stamp.
  void send_next(Client& client) {
    last_ = std::max(last_ + 1, now());
    client.time_stamp = last_;
    ++request_id_;
    std::memcpy(request_.data() + message_header_size, &request_id_, sizeof request_id_);
    std::memcpy(request_.data() + request_.size() - time_stamp_size, &client.time_stamp,
                time_stamp_size);
    send_raw(client.fd, request_);
    ++waiting_;
  }

  static std::int64_t now() {
    return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
  }

  SourceResult finish() {
    result_.replies = latencies_.size();
    result_.idle = static_cast<std::size_t>(
        std::ranges::count_if(clients_, [](const Client& client) { return client.replies == 0; }));
    result_.p50_ms = percentile(latencies_, 0.5);
    result_.p99_ms = percentile(latencies_, 0.99);
    result_.max_ms = latencies_.empty() ? 0 : std::ranges::max(latencies_);
    return result_;
  }

  int epoll_;
  std::string request_;
  std::uint32_t request_id_ = 0;
  std::int64_t last_ = 0;
  std::size_t stalled_ = 0;
  std::vector<Client> clients_;

  // The state of one run.
  SourceResult result_;
  std::vector<double> latencies_;
  bool sending_ = false;
  bool measuring_ = false;
  bool bursts_ = false;
  std::size_t waiting_ = 0;
  std::size_t begun_ = 0;
  Clock::time_point begin_;
  milliseconds spread_{};
};

}  // namespace

std::string to_line(const SourceResult& result) {
  std::ostringstream line;
  line << result.replies << ' ' << result.failures << ' ' << result.lost << ' ' << result.stalled
       << ' ' << result.idle << ' ' << result.seconds << ' ' << result.p50_ms << ' '
       << result.p99_ms << ' ' << result.max_ms;
  return line.str();
}

SourceResult parse_source_result(const std::string& line) {
  std::istringstream words(line);
  SourceResult result;
  if (!(words >> result.replies >> result.failures >> result.lost >> result.stalled >>
        result.idle >> result.seconds >> result.p50_ms >> result.p99_ms >> result.max_ms))
    throw std::runtime_error("the source has no result: " + line);
  return result;
}

int run_source(const std::string& reference, std::size_t clients) {
  Source source(reference, clients);
  std::cout << "connected" << std::endl;
  std::string command;
  Window window;
  long delay_ms = 0;
  int bursts = 0;
  while (std::cin >> command >> window.warm_up_ms >> window.measured_ms >> delay_ms >> bursts)
    std::cout << to_line(source.run(window, milliseconds(delay_ms), bursts != 0)) << std::endl;
  return 0;
}

}  // namespace perigee::bench
