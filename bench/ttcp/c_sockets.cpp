// The floor of the ttcp experiment: the C program, for all families with a C version.
#include "harness/raw_socket.h"
#include "roles.h"
#include "transfer.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace perigee::bench {
namespace {

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

// "HOST PORT"
Address tcp_address(const std::string& reference) {
  const std::size_t space = reference.rfind(' ');
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(reference.substr(0, space).c_str(),
                                reference.substr(space + 1).c_str(), &hints, &found);
  if (error != 0) throw std::runtime_error(reference + ": " + gai_strerror(error));
  Address address;
  address.size = found->ai_addrlen;
  std::copy_n(reinterpret_cast<const char*>(found->ai_addr), found->ai_addrlen,
              reinterpret_cast<char*>(&address.storage));
  freeaddrinfo(found);
  return address;
}

// An abstract name leaves no file behind.
Address local_address(const std::string& name) {
  Address address;
  auto* local = reinterpret_cast<sockaddr_un*>(&address.storage);
  local->sun_family = AF_UNIX;
  check_call(name.size() + 1 <= sizeof local->sun_path, "the socket's name is too long");
  std::copy(name.begin(), name.end(), local->sun_path + 1);
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

Address address_of(const std::string& family, const std::string& reference) {
  return family == "tcp" ? tcp_address(reference) : local_address(reference);
}

int open_socket(const std::string& family, int domain, std::size_t queue_size) {
  const int type = family == "seqpacket" ? SOCK_SEQPACKET : SOCK_STREAM;
  const int fd = socket(domain, type | SOCK_CLOEXEC, 0);
  check_call(fd >= 0, "socket");
  const int size = static_cast<int>(queue_size);
  if (size != 0) {
    check_call(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size) == 0, "SO_SNDBUF");
    check_call(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size) == 0, "SO_RCVBUF");
  }
  return fd;
}

void set_no_delay(int fd, const std::string& family) {
  const int on = 1;
  if (family == "tcp")
    check_call(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0, "TCP_NODELAY");
}

std::string bound_port(int fd) {
  Address address;
  address.size = sizeof address.storage;
  check_call(getsockname(fd, address.get(), &address.size) == 0, "getsockname");
  const auto port = address.storage.ss_family == AF_INET6
                        ? reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_port
                        : reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port;
  return std::to_string(ntohs(port));
}

void serve_connection(int fd) {
  std::vector<std::uint8_t> buffer;
  for (ttcp::Transfer transfer; receive_all(fd, &transfer, sizeof transfer);) {
    const ttcp::Totals totals = ttcp::receive_transfer(
        transfer, buffer,
        [fd](void* space, std::size_t size) { return receive_some(fd, space, size); });
    send_all(fd, &totals, sizeof totals);
  }
  close(fd);
}

}  // namespace

int run_c_receiver(const std::string& family, const TtcpRole& role) {
  const std::string name = "perigee-ttcp-" + std::to_string(getpid());
  Address address = address_of(family, family == "tcp" ? role.address + " 0" : name);
  const int listener = open_socket(family, address.storage.ss_family, role.queue_size);
  check_call(bind(listener, address.get(), address.size) == 0, "bind");
  check_call(listen(listener, 16) == 0, "listen");
  std::cout << (family == "tcp" ? role.address + ' ' + bound_port(listener) : name) << std::endl;
  for (;;) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    set_no_delay(fd, family);
    serve_connection(fd);
  }
}

int run_c_transmitter(const std::string& family, const std::string& reference,
                      const TtcpRole& role) {
  Address address = address_of(family, reference);
  const int fd = open_socket(family, address.storage.ss_family, role.queue_size);
  check_call(connect(fd, address.get(), address.size) == 0, "connect");
  set_no_delay(fd, family);
  std::vector<std::uint8_t> buffer;
  return ttcp::serve_transfers([&](const ttcp::Transfer& transfer) {
    if (buffer.size() != transfer.size) buffer = ttcp::make_pattern<std::uint8_t>(transfer.size);
    send_all(fd, &transfer, sizeof transfer);
    for (std::size_t left = transfer.count; left > 0; --left)
      send_all(fd, buffer.data(), buffer.size());
    ttcp::Totals totals;
    check_call(receive_all(fd, &totals, sizeof totals), "the receiver has closed the connection");
    return totals;
  });
}

}  // namespace perigee::bench
