// The floors: a C-style ping-pong that only moves octets with read and write. The server has a
// blocking thread for each connection, or one thread that calls epoll_wait before each read.
#include "raw.h"

#include "raw_copies.h"
#include "raw_ring.h"
#include "workloads.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace perigee::bench {
namespace {

using Sizes = MessageSizes;  // a client sends them as the first octets of its connection

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

// UNIX-domain sockets need no option.
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
      if (text.size() >= sizeof address.sun_path)
        throw std::runtime_error("the path of the socket is too long: " + text);
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

/// A connection of the epoll server. It reads once for each event.
class EpollConnection {
 public:
  explicit EpollConnection(int fd) : octets_(sizeof(Sizes)), fd_(fd) {}
  ~EpollConnection() { close(fd_); }
  EpollConnection(const EpollConnection&) = delete;
  EpollConnection& operator=(const EpollConnection&) = delete;

  [[nodiscard]] int fd() const { return fd_; }

  /// Writes the reply when the request is complete. False at the end of the stream.
  bool take_event() {
    const ssize_t count = read(fd_, octets_.data() + received_, size_ - received_);
    if (count <= 0) return false;
    received_ += static_cast<std::size_t>(count);
    if (received_ < size_) return true;
    received_ = 0;
    if (sizes_.request != 0) return write_all(fd_, octets_.data(), sizes_.reply);
    std::memcpy(&sizes_, octets_.data(), sizeof sizes_);
    octets_.resize(std::max(sizes_.request, sizes_.reply));
    size_ = sizes_.request;
    return size_ != 0;
  }

 private:
  Sizes sizes_{};  ///< zero until the client has sent them
  std::vector<char> octets_;
  std::size_t size_ = sizeof(Sizes);  ///< of the message that is being received
  std::size_t received_ = 0;
  int fd_;
};

// Prints the address for the client.
int open_listener(const std::string& place) {
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
  return listener;
}

// The event carries `connection`, which is null for the listener.
void watch(int epoll, int fd, EpollConnection* connection) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = connection;
  check(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl");
}

// One connection with messages of fixed sizes. Each message contains a number that must come back.
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

/// One kind of call. It has a connection of its own, because the buffers of both sides have the
/// size of the messages of this kind.
template <typename Connection, typename Place>
class RawCall {
 public:
  RawCall(const Place& place, Sizes sizes) : place_(place), sizes_(sizes) {}
  void connect() {
    if (!connection_) connection_.emplace(place_, sizes_);
  }
  bool operator()() {
    connect();
    return connection_->call();
  }

 private:
  const Place place_;
  const Sizes sizes_;
  std::optional<Connection> connection_;
};

/// A kind of call, with the sizes of its argument and its result in octets.
struct Kind {
  std::string name;
  const char* operation;
  std::size_t payload;
  std::size_t result = payload;
};

const Kind kinds[] = {
    {"void", "cube_void", 0},
    {"char", "next_char", 1},
    {"octet", "cube_octet", 1},
    {"short", "cube_short", 2},
    {"long", "cube_long", 4},
    {"double", "cube_double", 8},
    {"struct", "cube_struct", 10},
    {"union", "cube_union", 14},
    {"any", "cube_any", 8},
    {"octets4", "echo_octets", 4 + cubit::small_sequence_size},
    {"longs4", "echo_longs", 4 + cubit::small_sequence_size},
    {"octets4096", "echo_octets", 4 + cubit::large_sequence_size},
    {"longs4096", "echo_longs", 4 + cubit::large_sequence_size},
    {"structs4096", "echo_structs", 4 + cubit::structs_size},
};

Kind borrowed(std::size_t size) {
  return {cubit::borrowed_name(size), "count_octets", 4 + size, 4};
}

constexpr std::size_t key_size = 25;  // of a transient object

std::size_t align(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

// The size of a message: the header, and the payload, which begins at a multiple of 8 octets.
std::uint32_t with_body(std::size_t header, std::size_t payload) {
  return static_cast<std::uint32_t>(payload == 0 ? header : align(header, 8) + payload);
}

// The sizes of the messages that Perigee sends for the same call.
Sizes giop_sizes(const Kind& kind) {
  const std::size_t target = 12 + 4 + 4 + 4 + 4 + key_size;  // header, id, flags, address, key
  const std::size_t name = 4 + std::strlen(kind.operation) + 1;
  const std::size_t contexts = 4;
  const std::size_t reply = 12 + 4 + 4 + contexts;  // header, id, status
  return {with_body(align(align(target, 4) + name, 4) + contexts, kind.payload),
          with_body(reply, kind.result)};
}

Sizes lite_sizes(const Kind& kind) {
  const std::size_t target = 8 + 4 + 4 + key_size;  // header, id, key
  const std::size_t name = 4 + std::strlen(kind.operation) + 1;
  return {with_body(align(target, 4) + name, kind.payload), with_body(8 + 4, kind.result)};
}

}  // namespace

MessageSizes giop_sizes(const std::string& workload) {
  for (const Kind& kind : kinds)
    if (kind.name == workload) return giop_sizes(kind);
  for (const std::size_t size : cubit::small_borrowed_sizes)
    if (workload == cubit::borrowed_name(size)) return giop_sizes(borrowed(size));
  for (const std::size_t size : cubit::large_sizes) {
    if (workload == cubit::echo_name(size)) return giop_sizes({workload, "echo_octets", 4 + size});
    if (workload == cubit::borrowed_name(size)) return giop_sizes(borrowed(size));
  }
  throw std::runtime_error("no such workload: " + workload);
}

int run_raw_server(const std::string& place) {
  const int listener = open_listener(place);
  while (true) {
    const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    set_no_delay(fd);
    std::thread(serve_connection, fd).detach();  // lives until the client disconnects
  }
}

int run_raw_epoll_server(const std::string& place) {
  const int listener = open_listener(place);
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  check(epoll >= 0, "epoll_create1");
  watch(epoll, listener, nullptr);
  std::map<int, EpollConnection> connections;
  std::array<epoll_event, 64> events;
  while (true) {
    const int count = epoll_wait(epoll, events.data(), events.size(), -1);
    for (int index = 0; index < count; ++index) {
      auto* connection =
          static_cast<EpollConnection*>(events[static_cast<std::size_t>(index)].data.ptr);
      if (connection != nullptr) {
        if (!connection->take_event()) connections.erase(connection->fd());
        continue;
      }
      const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      set_no_delay(fd);
      watch(epoll, fd, &connections.try_emplace(fd, fd).first->second);
    }
  }
}

namespace {

template <typename Connection, typename Place>
int run_client(const Place& place, const std::string& messages) {
  std::vector<cubit::Workload> workloads;
  const auto add = [&](const Kind& kind) {
    auto call = std::make_shared<RawCall<Connection, Place>>(
        place, messages == "GIOPlite" ? lite_sizes(kind) : giop_sizes(kind));
    workloads.push_back({kind.name, [call] { return (*call)(); }});
    return call;
  };
  for (const Kind& kind : kinds) add(kind)->connect();
  for (const std::size_t size : cubit::small_borrowed_sizes) add(borrowed(size));
  for (const std::size_t size : cubit::large_sizes) {
    add({cubit::echo_name(size), "echo_octets", 4 + size});
    add(borrowed(size));
  }
  return cubit::serve_commands(workloads);
}

}  // namespace

int run_raw_client(const std::string& place, const std::string& messages) {
  return run_client<RawConnection>(Address(place), messages);
}

int run_raw_ring_client(const std::string& path, const std::string& messages) {
  return run_client<RawRingConnection>(path, messages);
}

int run_raw_copies_client(const std::string& messages) {
  return run_client<RawCopies>(std::string(), messages);
}

}  // namespace perigee::bench
