// The family of UNIX-domain streams.
#pragma once

#include <perigee/ipc/stream_socket.h>

namespace perigee::ipc {

/// Family tag: the types of UNIX-domain streams.
struct LSock {
  using Address = UnixAddr;
  using Calls = SystemCalls;
  using Stream = StreamSocket<LSock>;
  using Acceptor = StreamAcceptor<LSock>;
  using Connector = StreamConnector<LSock>;
  static constexpr SocketKinds stream_kind = SocketKinds::local_stream;
  static constexpr SocketKinds acceptor_kind = SocketKinds::local_acceptor;
};

namespace lsock {
using Stream = LSock::Stream;
using Acceptor = LSock::Acceptor;
using Connector = LSock::Connector;

/// Two streams that are connected with each other.
[[nodiscard]] inline Result<Pair<Stream>> pair() {
  return detail::pair_of<Stream>(io::stream_pair());
}

/// Removes the file that an acceptor's path left behind. An acceptor does not do it by itself: the
/// path may belong to its successor by then.
inline void remove(const UnixAddr& address) noexcept { io::remove_name(address); }
}  // namespace lsock

}  // namespace perigee::ipc
