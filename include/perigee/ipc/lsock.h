// The family of UNIX-domain sockets: streams and datagrams.
#pragma once

#include <perigee/ipc/dgram.h>
#include <perigee/ipc/stream_socket.h>

namespace perigee::ipc {

/// Family tag: the types of UNIX-domain sockets.
struct LSock {
  using Address = UnixAddr;
  using Calls = SystemCalls;
  using Stream = StreamSocket<LSock>;
  using Acceptor = StreamAcceptor<LSock>;
  using Connector = StreamConnector<LSock>;
  using Dgram = DgramSocket<LSock>;
  using CoDgram = CoDgramSocket<LSock>;
  static constexpr SocketKinds stream_kind = SocketKinds::local_stream;
  static constexpr SocketKinds acceptor_kind = SocketKinds::local_acceptor;
  static constexpr SocketKinds dgram_kind = SocketKinds::local_dgram;
  static constexpr SocketKinds codgram_kind = SocketKinds::local_codgram;
};

namespace lsock {
using Stream = LSock::Stream;
using Acceptor = LSock::Acceptor;
using Connector = LSock::Connector;
using Dgram = LSock::Dgram;
using CoDgram = LSock::CoDgram;

/// Two streams that are connected to each other.
[[nodiscard]] inline Result<Pair<Stream>> pair() {
  return detail::pair_of<Stream>(io::stream_pair());
}

/// Two datagram sockets that are connected to each other.
[[nodiscard]] inline Result<Pair<CoDgram>> dgram_pair() {
  return detail::pair_of<CoDgram>(io::dgram_pair());
}

/// Removes the socket file of an acceptor or a Dgram. The sockets do not remove it, since a
/// later socket may use the path by then.
inline void remove(const UnixAddr& address) noexcept { io::remove_name(address); }
}  // namespace lsock

}  // namespace perigee::ipc
