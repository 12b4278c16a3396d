// Peers on shared memory that break the protocol: they send any hello with any file, and write any
// word of the rings.
#pragma once

#include "ipc/shared_memory.h"
#include "transport/shared_memory/rings.h"
#include <perigee/ipc/io_local.h>
#include <perigee/ipc/lsock.h>
#include <perigee/transport/local.h>
#include <perigee/transport/shared_memory.h>

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace perigee::test {

using transport::Wait;

[[nodiscard]] inline std::unique_ptr<transport::ProtocolFactory> make_shared_memory_protocol() {
  return transport::make_shared_memory_protocol(transport::make_local_protocol());
}

/// A server that waits for clients at a socket file.
struct RingServer {
  explicit RingServer(const std::string& path)
      : acceptor(make_shared_memory_protocol()->listen({"shmiop", path}).value()) {}

  /// The server's end of the next connection. The caller must call `open` on it.
  [[nodiscard]] std::unique_ptr<transport::Transport> accept() const {
    return acceptor->accept(Wait::yes).value();
  }

  std::unique_ptr<transport::Acceptor> acceptor;
};

/// A client's end of the socket.
[[nodiscard]] inline ipc::lsock::Stream raw_client(const std::string& path) {
  return ipc::lsock::Connector::connect(*ipc::UnixAddr::path(path), std::chrono::seconds(10))
      .value();
}

inline void say_hello(const ipc::lsock::Stream& client,
                      const transport::shared_memory::Hello& hello, std::span<const int> handles) {
  const auto sent = ipc::io::send_handles(client.handle(), std::as_bytes(std::span(&hello, 1)),
                                          handles, ipc::forever);
  REQUIRE(sent.error == 0);
}

/// A client with correct rings, whose words the test writes itself.
struct RawRings {
  static constexpr std::uint32_t size = std::uint32_t{1} << 16;

  RawRings(const RingServer& server, const std::string& path) : client(raw_client(path)) {
    auto made = transport::shared_memory::Rings::make(size).value();
    const int handle = made.memory.get();
    say_hello(client, {.ring_size = size}, {&handle, 1});
    server_end = server.accept();
    REQUIRE(server_end->open(Wait::yes).ok());
    rings = std::move(made.rings);
    memory = std::move(made.memory);
  }
  [[nodiscard]] transport::shared_memory::RingWords& sent() const {
    return *rings.from_client().words;
  }
  [[nodiscard]] transport::shared_memory::RingWords& received() const {
    return *rings.from_server().words;
  }

  ipc::lsock::Stream client;
  transport::shared_memory::Rings rings;
  ipc::Handle memory;
  std::unique_ptr<transport::Transport> server_end;
};

}  // namespace perigee::test
