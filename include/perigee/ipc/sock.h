// The family of TCP streams, over IPv4 and IPv6.
#pragma once

#include <perigee/ipc/stream_socket.h>

namespace perigee::ipc {

/// Family tag: the types of TCP streams.
struct Sock {
  using Address = InetAddr;
  using Calls = SystemCalls;
  using Stream = StreamSocket<Sock>;
  using Acceptor = StreamAcceptor<Sock>;
  using Connector = StreamConnector<Sock>;
  static constexpr SocketKinds stream_kind = SocketKinds::inet_stream;
  static constexpr SocketKinds acceptor_kind = SocketKinds::inet_acceptor;
};

namespace sock {
using Stream = Sock::Stream;
using Acceptor = Sock::Acceptor;
using Connector = Sock::Connector;
}  // namespace sock

}  // namespace perigee::ipc
