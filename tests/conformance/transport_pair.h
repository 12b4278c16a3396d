// Helpers of the transport suite: pairs, patterns, exact transfers.
#pragma once

#include <perigee/transport/transport.h>

#include <array>
#include <chrono>
#include <memory>
#include <utility>

namespace perigee::test {

using transport::Wait;

/// Two ends of one connection.
struct TransportPair {
  std::unique_ptr<transport::Transport> client;
  std::unique_ptr<transport::Transport> server;
};

/// A connection of the protocol to where the acceptor listens.
inline TransportPair connect_pair(transport::ProtocolFactory& protocol,
                                  transport::Acceptor& acceptor) {
  auto client =
      protocol.make_connector()->connect(acceptor.published(), std::chrono::milliseconds(0));
  auto server = acceptor.accept(Wait::yes);
  return {std::move(client.value()), std::move(server.value())};
}

/// Octets that differ from place to place and from seed to seed.
[[nodiscard]] inline Octets pattern(std::size_t size, unsigned seed) {
  Octets octets(size);
  std::uint32_t state = seed * 2654435761u + 1;
  for (auto& octet : octets) {
    state = state * 1664525u + 1013904223u;
    octet = static_cast<std::byte>(state >> 24);
  }
  return octets;
}

inline IoResult send_all(transport::Transport& transport, OctetSpan octets) {
  return transport.send(std::array{octets}, Wait::yes);
}
inline IoResult send_some(transport::Transport& transport, OctetSpan octets) {
  return transport.send(std::array{octets}, Wait::no);
}

/// Closes the client with an octet unread: TCP and UNIX-domain sockets reset the connection then.
inline void close_with_unread(TransportPair& pair) {
  static_cast<void>(send_all(*pair.server, pattern(1, 1)));
  pair.client.reset();
}

/// Receives `size` octets; fewer if the stream ends or fails before.
[[nodiscard]] inline Octets receive_exactly(transport::Transport& transport, std::size_t size) {
  Octets octets(size);
  std::size_t count = 0;
  while (count < size) {
    const auto result = transport.receive(MutableOctetSpan(octets).subspan(count), Wait::yes);
    if (!result.ok()) break;
    count += result.count;
  }
  octets.resize(count);
  return octets;
}

}  // namespace perigee::test
