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

/// Does the handshake of both ends, if they have one. If one end fails, the other learns why.
inline void open_both(transport::Transport& client, transport::Transport& server) {
  bool client_done = !client.features().opens;
  bool server_done = !server.features().opens;
  while (!client_done || !server_done) {
    for (auto [end, done] : {std::pair(&client, &client_done), std::pair(&server, &server_done)}) {
      if (*done) continue;
      const IoResult result = end->open(Wait::no);
      *done = result.status != IoStatus::would_block;
    }
  }
}

/// Connects to the acceptor with the protocol, and does the handshake.
inline TransportPair connect_pair(transport::ProtocolFactory& protocol,
                                  transport::Acceptor& acceptor) {
  auto client =
      protocol.make_connector()->connect(acceptor.published(), std::chrono::milliseconds(0));
  auto server = acceptor.accept(Wait::yes);
  open_both(**client, **server);
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

/// Sends what the transport itself still has to send: the rest of a record whose contents it has
/// taken.
inline void send_transport_output(transport::Transport& transport) {
  if (!transport.features().owes_output) return;
  static_cast<void>(transport.set_send_timeout(std::chrono::microseconds(0)));
  static_cast<void>(transport.send({}, Wait::yes));
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
