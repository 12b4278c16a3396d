// The family of local streams that keep the boundaries of records (SOCK_SEQPACKET), like the
// STREAMS pipes of System V.
#pragma once

#include <perigee/ipc/record_socket.h>

namespace perigee::ipc {

/// Family tag: the types of stream pipes.
struct SPipe {
  using Address = SPipeAddr;
  using Calls = SystemCalls;
  using Stream = RecordSocket<SPipe>;
  using Acceptor = StreamAcceptor<SPipe>;
  using Connector = StreamConnector<SPipe>;
  static constexpr SocketKinds stream_kind = SocketKinds::record_stream;
  static constexpr SocketKinds acceptor_kind = SocketKinds::record_acceptor;
};

namespace spipe {
using Stream = SPipe::Stream;
using Acceptor = SPipe::Acceptor;
using Connector = SPipe::Connector;

/// Two streams that are connected to each other.
[[nodiscard]] inline Result<Pair<Stream>> pair() {
  return detail::pair_of<Stream>(io::record_pair());
}

/// Removes the socket file at which an acceptor has listened.
inline void remove(const SPipeAddr& address) noexcept { io::remove_name(address.unix_name()); }
}  // namespace spipe

}  // namespace perigee::ipc
