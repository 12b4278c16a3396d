// A small HTTP server: one thread for each connection.
#include "services/naming_etcd/fake_member.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <list>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

namespace perigee::naming::test {

namespace {

sockaddr* as_address(sockaddr_in& address) {
  return static_cast<sockaddr*>(static_cast<void*>(&address));
}

void send_all(int connection, std::string_view octets) {
  while (!octets.empty()) {
    const ssize_t sent = ::send(connection, octets.data(), octets.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    octets.remove_prefix(static_cast<std::size_t>(sent));
  }
}

/// Reads requests from a connection.
class Requests {
 public:
  explicit Requests(int connection) : connection_(connection) {}

  /// False at the end of the connection.
  bool read(std::string& path, std::string& body) {
    std::size_t end = 0;
    while ((end = octets_.find("\r\n\r\n")) == std::string::npos)
      if (!read_more()) return false;
    const std::size_t size = body_size(octets_.substr(0, end));
    while (octets_.size() < end + 4 + size)
      if (!read_more()) return false;
    const std::size_t from = octets_.find(' ') + 1;
    path = octets_.substr(from, octets_.find(' ', from) - from);
    body = octets_.substr(end + 4, size);
    octets_.erase(0, end + 4 + size);
    return true;
  }
  void await_end() {
    while (read_more()) octets_.clear();
  }

 private:
  bool read_more() {
    char part[4096];
    const ssize_t size = ::recv(connection_, part, sizeof part, 0);
    if (size <= 0) return false;
    octets_.append(part, static_cast<std::size_t>(size));
    return true;
  }
  static std::size_t body_size(const std::string& head) {
    constexpr std::string_view field = "Content-Length: ";
    const std::size_t at = head.find(field);
    return at == std::string::npos ? 0
                                   : std::strtoul(head.c_str() + at + field.size(), nullptr, 10);
  }

  const int connection_;
  std::string octets_;
};

}  // namespace

class FakeMember::Server {
 public:
  explicit Server(Answer answer) : answer_(std::move(answer)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (listener_ < 0 || ::bind(listener_, as_address(address), size) != 0 ||
        ::listen(listener_, 16) != 0 || ::getsockname(listener_, as_address(address), &size) != 0)
      throw std::runtime_error("the member cannot listen");
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { accept_all(); });
  }
  ~Server() {
    ::shutdown(listener_, SHUT_RDWR);
    accepting_.join();
    for (Connection& connection : connections_) {
      ::shutdown(connection.socket, SHUT_RDWR);
      connection.thread.join();
      ::close(connection.socket);
    }
    ::close(listener_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  [[nodiscard]] int port() const noexcept { return port_; }

 private:
  struct Connection {
    int socket;
    std::thread thread;
  };

  void accept_all() {
    for (;;) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      connections_.push_back({socket, std::thread([this, socket] { serve(socket); })});
    }
  }

  void serve(int socket) {
    Requests requests(socket);
    std::string path;
    std::string body;
    while (requests.read(path, body)) {
      const MemberAnswer answer = answer_(path, body);
      const std::size_t size = answer.body.size() + (is_begun(answer) ? 1U : 0U);
      if (answer.kind == MemberAnswer::Kind::complete || is_begun(answer))
        send_all(socket, "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" +
                             answer.body);
      if (answer.kind == MemberAnswer::Kind::close) break;
      if (answer.kind != MemberAnswer::Kind::complete) requests.await_end();
    }
    ::shutdown(socket, SHUT_RDWR);
  }
  /// The answer announces one octet more than it has.
  static bool is_begun(const MemberAnswer& answer) {
    return answer.kind == MemberAnswer::Kind::begin;
  }

  const Answer answer_;
  const int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int port_ = 0;
  std::list<Connection> connections_;  // of the accepting thread, and of the destructor after it
  std::thread accepting_;
};

FakeMember::FakeMember(Answer answer) : server_(std::make_unique<Server>(std::move(answer))) {}
FakeMember::~FakeMember() = default;

std::string FakeMember::url() const {
  return "http://127.0.0.1:" + std::to_string(server_->port());
}

}  // namespace perigee::naming::test
