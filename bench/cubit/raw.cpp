// The floor: a C-style ping-pong that moves octets with blocking read and write, and nothing else.
#include "raw.h"

#include "workloads.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace perigee::bench {
namespace {

// What a client tells the server first: the sizes of this connection's messages.
struct Sizes {
  std::uint32_t request;
  std::uint32_t reply;
};

void check(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

bool read_all(int fd, char* octets, std::size_t size) {
  while (size > 0) {
    const ssize_t count = read(fd, octets, size);
    if (count <= 0) return false;
    octets += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool write_all(int fd, const char* octets, std::size_t size) {
  while (size > 0) {
    const ssize_t count = write(fd, octets, size);
    if (count <= 0) return false;
    octets += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

// Of UNIX-domain sockets nothing needs to be set.
void set_no_delay(int fd) {
  const int on = 1;
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// A port of the loopback interface, or the path of a UNIX-domain socket.
class Address {
 public:
  explicit Address(const std::string& text) {
    if (text.starts_with('/')) {
      auto& address = reinterpret_cast<sockaddr_un&>(storage_);
      address.sun_family = AF_UNIX;
      if (text.size() >= sizeof address.sun_path) throw std::runtime_error("too long: " + text);
      std::memcpy(address.sun_path, text.data(), text.size());
      size_ = sizeof address;
      return;
    }
    auto& address = reinterpret_cast<sockaddr_in&>(storage_);
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoul(text)));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    size_ = sizeof address;
  }
  [[nodiscard]] int new_socket() const {
    const int fd = socket(storage_.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    check(fd >= 0, "socket");
    return fd;
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t size() const { return size_; }

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

void serve_connection(int fd) {
  Sizes sizes{};
  if (read_all(fd, reinterpret_cast<char*>(&sizes), sizeof sizes)) {
    std::vector<char> octets(std::max(sizes.request, sizes.reply));
    while (read_all(fd, octets.data(), sizes.request) &&
           write_all(fd, octets.data(), sizes.reply)) {
    }
  }
  close(fd);
}

// One connection with messages of fixed sizes; each carries a number that must come back.
class RawConnection {
 public:
  RawConnection(const Address& address, Sizes sizes)
      : sizes_(sizes), octets_(std::max(sizes.request, sizes.reply)), fd_(address.new_socket()) {
    check(connect(fd_, address.get(), address.size()) == 0, "connect");
    set_no_delay(fd_);
    check(write_all(fd_, reinterpret_cast<const char*>(&sizes_), sizeof sizes_), "write");
  }
  ~RawConnection() { close(fd_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  bool call() {
    ++number_;
    std::memcpy(octets_.data(), &number_, sizeof number_);
    if (!write_all(fd_, octets_.data(), sizes_.request)) return false;
    if (!read_all(fd_, octets_.data(), sizes_.reply)) return false;
    return std::memcmp(octets_.data(), &number_, sizeof number_) == 0;
  }

 private:
  Sizes sizes_;
  std::vector<char> octets_;
  std::uint32_t number_ = 0;
  int fd_;
};

// As large as the GIOP 1.2 messages that Perigee sends for the same call with a 24-octet key.
Sizes giop_sizes(const std::string& operation, std::size_t payload) {
  const std::size_t target = 12 + 4 + 4 + 4 + 4 + 24;  // header, id, flags, address, key
  const std::size_t name = 4 + operation.size() + 1;
  const std::size_t contexts = 4;
  std::size_t request = (target + name + 3) / 4 * 4 + contexts;
  if (payload > 0) request = (request + 7) / 8 * 8 + payload;
  return {static_cast<std::uint32_t>(request), static_cast<std::uint32_t>(24 + payload)};
}

}  // namespace

int run_raw_server(const std::string& place) {
  const bool tcp = place == "tcp";
  const Address address(tcp ? "0" : place);
  const int listener = address.new_socket();
  check(bind(listener, address.get(), address.size()) == 0, "bind");
  check(listen(listener, 16) == 0, "listen");
  sockaddr_in bound{};
  socklen_t size = sizeof bound;
  if (tcp)
    check(getsockname(listener, reinterpret_cast<sockaddr*>(&bound), &size) == 0, "getsockname");
  std::cout << (tcp ? std::to_string(ntohs(bound.sin_port)) : place) << std::endl;
  while (true) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    set_no_delay(fd);
    std::thread(serve_connection, fd).detach();  // lives until its client goes
  }
}

int run_raw_client(const std::string& place) {
  const Address address(place);
  struct Kind {
    const char* name;
    const char* operation;
    std::size_t payload;
  };
  static constexpr Kind kinds[] = {
      {"void", "cube_void", 0},
      {"octet", "cube_octet", 1},
      {"short", "cube_short", 2},
      {"long", "cube_long", 4},
      {"struct", "cube_struct", 10},
      {"octets4", "echo_octets", 4 + cubit::small_sequence_size},
      {"longs4", "echo_longs", 4 + cubit::small_sequence_size},
      {"octets4096", "echo_octets", 4 + cubit::large_sequence_size},
      {"longs4096", "echo_longs", 4 + cubit::large_sequence_size},
  };
  std::vector<cubit::Workload> workloads;
  for (const Kind& kind : kinds) {
    auto connection =
        std::make_shared<RawConnection>(address, giop_sizes(kind.operation, kind.payload));
    workloads.push_back({kind.name, [connection] { return connection->call(); }});
  }
  return cubit::serve_commands(workloads);
}

}  // namespace perigee::bench
