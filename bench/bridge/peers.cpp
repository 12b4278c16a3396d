// The target and the client, which are the same for all systems.
#include "bridge.h"
#include "connections/raw_giop.h"
#include "harness/raw_socket.h"
#include "messages.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <thread>

namespace perigee::bench {
namespace {

constexpr unsigned reply_type = 1;
constexpr unsigned fragment_type = 7;

std::string make_reply(std::size_t octets) {
  std::string reply("GIOP\1\2\1\1", 8);
  reply.resize(24, '\0');  // the size, the request id, no exception, no contexts
  if (octets != 0) {
    const auto count = static_cast<std::uint32_t>(octets);
    reply.append(reinterpret_cast<const char*>(&count), sizeof count);
    reply.append(octets, 'o');
  }
  const auto size = static_cast<std::uint32_t>(reply.size() - giop_header_size);
  std::memcpy(reply.data() + 8, &size, sizeof size);
  return reply;
}

// --- The target ---

/// A connection of the target. Many requests may arrive at once, since a bridge uses one connection
/// for all its clients.
class Served {
 public:
  Served(int fd, std::string reply) : fd_(fd), reply_(std::move(reply)) {}
  ~Served() { close(fd_); }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  /// Receives once, and answers the requests that are complete. False at the end of the stream.
  bool serve() {
    if (octets_.size() - filled_ < small_message_max) octets_.resize(filled_ + small_message_max);
    const ssize_t count = recv(fd_, octets_.data() + filled_, octets_.size() - filled_, 0);
    if (count <= 0) return false;
    filled_ += static_cast<std::size_t>(count);
    replies_.clear();
    std::size_t begin = 0;
    while (filled_ - begin >= giop_header_size) {
      const std::size_t size = message_size(octets_.data() + begin);
      if (filled_ - begin < size) {
        octets_.resize(std::max(octets_.size(), begin + size));
        break;
      }
      answer(octets_.data() + begin);
      begin += size;
    }
    if (begin != 0) std::memmove(octets_.data(), octets_.data() + begin, filled_ - begin);
    filled_ -= begin;
    return replies_.empty() || send_all(fd_, replies_.data(), replies_.size());
  }

 private:
  /// Adds a reply if `message` ends a request: a Request or a Fragment that no fragment follows.
  void answer(const char* message) {
    if ((message[6] & 2) != 0 || (message[7] != 0 && message[7] != fragment_type)) return;
    std::memcpy(reply_.data() + giop_header_size, message + giop_header_size, 4);
    replies_ += reply_;
  }

  const int fd_;
  std::string reply_;
  std::string octets_;  // the first `filled_` octets have been received
  std::size_t filled_ = 0;
  std::string replies_;
};

void serve_all(int epoll) {
  std::array<epoll_event, 256> events;
  while (true) {
    const int count = epoll_wait(epoll, events.data(), events.size(), -1);
    for (int index = 0; index < count; ++index) {
      auto* const served = static_cast<Served*>(events[static_cast<std::size_t>(index)].data.ptr);
      if (!served->serve()) delete served;  // closes the socket, which removes it from `epoll`
    }
  }
}

// --- The client ---

/// Waits for the reply, and checks that all of it has come.
void receive_reply(int fd, MessageBuffer& buffer, std::uint32_t id, std::size_t octets) {
  std::size_t received = 0;
  do {
    if (!buffer.receive(fd)) throw std::runtime_error("a connection has ended");
    const bool is_first = received == 0;
    if (buffer.type() != (is_first ? reply_type : fragment_type) || buffer.request_id() != id)
      throw std::runtime_error("not the reply to the request");
    std::uint32_t status = 0;
    if (is_first) std::memcpy(&status, buffer.data() + 16, sizeof status);
    if (status != 0) throw std::runtime_error("the reply is an exception");
    received += buffer.size();
  } while (buffer.has_more_fragments());
  if (received < octets) throw std::runtime_error("the reply is too short");
}

/// Connections in a closed loop: each connection sends its next request when a reply has come.
class Load {
 public:
  Load(std::uint16_t port, std::size_t octets, std::size_t connections)
      : octets_(octets),
        request_(make_raw_request({.port = port}, "pass", octets)),
        epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    for (std::size_t index = 0; index < connections; ++index) {
      calls_.push_back({connect_raw(port)});
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = index;
      check_call(epoll_ctl(epoll_, EPOLL_CTL_ADD, calls_.back().fd, &event) == 0, "epoll_ctl");
    }
  }

  void run(std::size_t count) {
    if (octets_ > small_message_max)
      run_in_threads(count);
    else
      run_in_loop(count);
  }

 private:
  struct Call {
    int fd;
    std::uint32_t id = 0;
  };

  static void send_next(Call& call, std::string& request) {
    ++call.id;
    std::memcpy(request.data() + giop_header_size, &call.id, sizeof call.id);
    if (!send_all(call.fd, request.data(), request.size()))
      throw std::runtime_error("a connection has ended");
  }

  void run_in_loop(std::size_t count) {
    std::size_t to_send = count;
    for (Call& call : calls_)
      if (to_send != 0) {
        send_next(call, request_);
        --to_send;
      }
    for (std::size_t to_receive = count; to_receive > 0;) {
      std::array<epoll_event, 256> events;
      const int ready = epoll_wait(epoll_, events.data(), events.size(), -1);
      for (int index = 0; index < ready; ++index) {
        Call& call = calls_[events[static_cast<std::size_t>(index)].data.u64];
        receive_reply(call.fd, buffer_, call.id, octets_);
        --to_receive;
        if (to_send == 0) continue;
        send_next(call, request_);
        --to_send;
      }
    }
  }

  // A thread that sends a large request does not read replies meanwhile. So each thread has one
  // call in flight, and uses its connections in turn.
  void run_in_threads(std::size_t count) {
    const std::size_t threads = std::min({calls_.size(), large_in_flight_max, count});
    std::vector<std::exception_ptr> failures(threads);
    {
      std::vector<std::jthread> running;
      for (std::size_t thread = 0; thread < threads; ++thread)
        running.emplace_back([this, thread, threads, count, &failures] {
          try {
            run_thread(thread, threads, count / threads + (thread < count % threads ? 1 : 0));
          } catch (const std::exception&) {
            failures[thread] = std::current_exception();
          }
        });
    }
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }
  void run_thread(std::size_t first, std::size_t step, std::size_t count) {
    MessageBuffer buffer;
    std::string request = request_;
    for (std::size_t index = first; count > 0; --count) {
      Call& call = calls_[index];
      send_next(call, request);
      receive_reply(call.fd, buffer, call.id, octets_);
      index = index + step < calls_.size() ? index + step : first;
    }
  }

  const std::size_t octets_;
  std::string request_;  // with the id of the last call
  const int epoll_;
  std::vector<Call> calls_;
  MessageBuffer buffer_;
};

}  // namespace

int run_bridge_target(std::size_t octets) {
  const int listener = open_raw_listener();
  const std::string reply = make_reply(octets);
  const bool in_threads = octets > small_message_max;
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  check_call(epoll >= 0, "epoll_create1");
  if (!in_threads) std::thread(serve_all, epoll).detach();  // until the process is killed
  while (true) {
    const int fd = accept_raw(listener);
    if (fd < 0) continue;
    auto served = std::make_unique<Served>(fd, reply);
    if (in_threads) {  // a loop that sends a large reply would not read requests meanwhile
      std::thread([served = std::move(served)] {
        while (served->serve()) continue;
      }).detach();
      continue;
    }
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = served.release();
    check_call(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
  }
}

int run_bridge_client(const std::string& address, std::size_t octets, std::size_t connections) {
  const std::string port =
      address.substr(address.rfind(':') + 1);  // the whole text if `address` is only a port
  Load load(static_cast<std::uint16_t>(std::stoul(port)), octets, connections);
  load.run(connections);  // now the middle process has all its connections to the target
  std::string line;
  while (std::getline(std::cin, line)) {
    load.run(std::stoul(line.substr(line.find(' ') + 1)));
    std::cout << "ok" << std::endl;
  }
  return 0;
}

}  // namespace perigee::bench
