// Makes the octets of requests, and opens the sockets that carry them.
#include "raw_giop.h"

#include "harness/raw_socket.h"
#include <perigee/iop/ior.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <stdexcept>

namespace perigee::bench {
namespace {

void append_ulong(std::string& message, std::size_t value) {
  while (message.size() % 4 != 0) message += '\0';
  const auto number = static_cast<std::uint32_t>(value);
  message.append(reinterpret_cast<const char*>(&number), sizeof number);
}

bool skip_octets(int fd, std::size_t count) {
  char octets[4096];
  while (count > 0) {
    const ssize_t received = recv(fd, octets, std::min(count, sizeof octets), 0);
    if (received <= 0) return false;
    count -= static_cast<std::size_t>(received);
  }
  return true;
}

}  // namespace

RawTarget parse_raw_target(const std::string& reference) {
  if (!reference.starts_with("IOR:"))
    return {.port = static_cast<std::uint16_t>(std::stoul(reference))};
  const auto ior = iop::parse_ior_string(reference);
  if (!ior || ior->profiles.empty()) throw std::runtime_error("not an IOR: " + reference);
  const auto profile = iop::decode_iiop_profile(ior->profiles.front());
  if (!profile) throw std::runtime_error("no IIOP profile: " + reference);
  RawTarget target{.port = profile->port, .key = {}};
  for (const std::byte octet : profile->object_key) target.key += static_cast<char>(octet);
  return target;
}

std::string make_raw_request(const RawTarget& target, const std::string& operation,
                             std::size_t octets) {
  std::string message("GIOP\1\2", 6);
  message += static_cast<char>(std::endian::native == std::endian::little);
  message += '\0';
  append_ulong(message, 0);  // the size, set below
  append_ulong(message, 0);  // the request id
  append_ulong(message, 3);  // with response; three octets reserved
  append_ulong(message, 0);  // the target is a key; two octets of padding
  append_ulong(message, target.key.size());
  message += target.key;
  append_ulong(message, operation.size() + 1);
  message += operation;
  message += '\0';
  append_ulong(message, 0);  // no service contexts
  if (octets != 0) {
    while (message.size() % 8 != 0) message += '\0';
    append_ulong(message, octets);
    message.append(octets, 'o');
  }
  const auto size = static_cast<std::uint32_t>(message.size() - 12);
  std::memcpy(message.data() + 8, &size, sizeof size);
  return message;
}

int connect_raw(std::uint16_t port, std::uint8_t source) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  check_call(fd >= 0, "socket");
  const int on = 1;
  setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl((INADDR_LOOPBACK & ~0xffU) | source);
  check_call(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "bind");
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  check_call(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

int open_raw_listener() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  check_call(bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0, "bind");
  check_call(listen(listener, 1024) == 0, "listen");
  check_call(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0,
             "getsockname");
  std::cout << ntohs(address.sin_port) << std::endl;
  return listener;
}

int accept_raw(int listener) {
  const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  const int on = 1;
  if (fd >= 0) setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

void watch_raw(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  check_call(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
}

void send_raw(int fd, const std::string& request) {
  const ssize_t count = send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  check_call(count == static_cast<ssize_t>(request.size()), "send");
}

// Servers send small replies with one call each, so one call receives a whole reply.
void receive_raw_reply(int fd) {
  char reply[4096];
  const ssize_t count = recv(fd, reply, sizeof reply, 0);
  std::uint32_t size = 0;
  std::uint32_t status = 1;
  if (count >= 24) {
    std::memcpy(&size, reply + 8, sizeof size);
    std::memcpy(&status, reply + 16, sizeof status);
  }
  const ssize_t left = static_cast<ssize_t>(size) + 12 - count;
  if (count < 24 || left < 0 || reply[7] != 1 || status != 0 ||
      !skip_octets(fd, static_cast<std::size_t>(left)))
    throw std::runtime_error("the server has sent an exception, or an incomplete reply");
}

}  // namespace perigee::bench
