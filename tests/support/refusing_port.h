// A TCP port of this host at which connects are refused.
#pragma once

#include <perigee/ipc/handle.h>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string>

namespace perigee::test {

/// The socket is bound and does not listen. As long as it lives, no other program gets the port.
class RefusingPort {
 public:
  RefusingPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof(address);
    REQUIRE(::bind(socket_.get(), generic, size) == 0);
    REQUIRE(::getsockname(socket_.get(), generic, &size) == 0);
    number_ = ntohs(address.sin_port);
  }

  /// As "127.0.0.1:1234".
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(number_); }

 private:
  const ipc::Handle socket_;
  unsigned number_ = 0;
};

}  // namespace perigee::test
