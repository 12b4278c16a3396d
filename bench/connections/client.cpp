// The client of all systems: one thread, many connections, octets that were made once. So it costs
// the same whatever serves it.
#include "connections.h"
#include <perigee/iop/ior.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <stdexcept>

namespace perigee::bench {
namespace {

void check(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

struct Target {
  std::uint16_t port = 0;
  std::string key = std::string(24, 'k');
};

Target parse_target(const std::string& reference) {
  if (!reference.starts_with("IOR:"))
    return {.port = static_cast<std::uint16_t>(std::stoul(reference))};
  const auto ior = iop::parse_ior_string(reference);
  if (!ior || ior->profiles.empty()) throw std::runtime_error("not an IOR: " + reference);
  const auto profile = iop::decode_iiop_profile(ior->profiles.front());
  if (!profile) throw std::runtime_error("no IIOP profile: " + reference);
  Target target{.port = profile->port, .key = {}};
  for (const std::byte octet : profile->object_key) target.key += static_cast<char>(octet);
  return target;
}

void append_ulong(std::string& message, std::size_t value) {
  while (message.size() % 4 != 0) message += '\0';
  const auto number = static_cast<std::uint32_t>(value);
  message.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// GIOP 1.2, in this machine's byte order; the request id stands at octet 12.
std::string make_request(const Target& target) {
  const std::string operation("cube_void", 10);  // with its terminating zero
  std::string message("GIOP\1\2", 6);
  message += static_cast<char>(std::endian::native == std::endian::little);
  message += '\0';
  append_ulong(message, 0);  // the size, below
  append_ulong(message, 0);  // the request id
  append_ulong(message, 3);  // with response; three octets reserved
  append_ulong(message, 0);  // the target is a key; two octets of padding
  append_ulong(message, target.key.size());
  message += target.key;
  append_ulong(message, operation.size());
  message += operation;
  append_ulong(message, 0);  // no service contexts
  const auto size = static_cast<std::uint32_t>(message.size() - 12);
  std::memcpy(message.data() + 8, &size, sizeof size);
  return message;
}

int connect_to(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  check(fd >= 0, "socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  check(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "connect");
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

/// Connections in a closed loop: each sends its next request when it has its reply.
class Load {
 public:
  Load(const std::string& reference, std::size_t count) : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    const Target target = parse_target(reference);
    request_ = make_request(target);
    for (std::size_t index = 0; index < count; ++index) {
      fds_.push_back(connect_to(target.port));
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.fd = fds_.back();
      check(epoll_ctl(epoll_, EPOLL_CTL_ADD, fds_.back(), &event) == 0, "epoll_ctl");
    }
  }

  void run(std::size_t calls) {
    to_send_ = calls;
    for (const int fd : fds_) send_next(fd);
    for (std::size_t to_receive = calls; to_receive > 0;) {
      std::array<epoll_event, 256> events;
      const int count = epoll_wait(epoll_, events.data(), events.size(), -1);
      for (int index = 0; index < count; ++index) {
        receive_reply(events[static_cast<std::size_t>(index)].data.fd);
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
    const ssize_t count = send(fd, request_.data(), request_.size(), MSG_NOSIGNAL);
    check(count == static_cast<ssize_t>(request_.size()), "send");
  }

  // Whole: replies are small, and servers send each with one call.
  static void receive_reply(int fd) {
    char reply[4096];
    const ssize_t count = recv(fd, reply, sizeof reply, 0);
    std::uint32_t size = 0;
    std::uint32_t status = 1;
    if (count >= 24) {
      std::memcpy(&size, reply + 8, sizeof size);
      std::memcpy(&status, reply + 16, sizeof status);
    }
    if (count != static_cast<ssize_t>(size) + 12 || reply[7] != 1 || status != 0)
      throw std::runtime_error("not a reply without exception");
  }

  int epoll_;
  std::string request_;
  std::uint32_t request_id_ = 0;
  std::size_t to_send_ = 0;
  std::vector<int> fds_;
};

}  // namespace

int run_connections_client(const std::string& reference, std::size_t connections) {
  Load load(reference, connections);
  std::cout << "ready" << std::endl;
  for (std::size_t calls = 0; std::cin >> calls;) {
    load.run(calls);
    std::cout << "ok" << std::endl;
  }
  return 0;
}

}  // namespace perigee::bench
