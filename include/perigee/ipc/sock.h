// The family of the Internet: TCP streams and UDP datagrams, over IPv4 and IPv6.
#pragma once

#include <perigee/ipc/dgram.h>
#include <perigee/ipc/stream_socket.h>

namespace perigee::ipc {

/// Family tag: the types of TCP and UDP. DgramBcast and DgramMcast are in group.h.
struct Sock {
  using Address = InetAddr;
  using Calls = SystemCalls;
  using Stream = StreamSocket<Sock>;
  using Acceptor = StreamAcceptor<Sock>;
  using Connector = StreamConnector<Sock>;
  using Dgram = DgramSocket<Sock>;
  using CoDgram = CoDgramSocket<Sock>;
  static constexpr SocketKinds stream_kind = SocketKinds::inet_stream;
  static constexpr SocketKinds acceptor_kind = SocketKinds::inet_acceptor;
  static constexpr SocketKinds dgram_kind = SocketKinds::inet_dgram;
  static constexpr SocketKinds codgram_kind = SocketKinds::inet_codgram;
};

namespace sock {
using Stream = Sock::Stream;
using Acceptor = Sock::Acceptor;
using Connector = Sock::Connector;
using Dgram = Sock::Dgram;
using CoDgram = Sock::CoDgram;
}  // namespace sock

}  // namespace perigee::ipc
