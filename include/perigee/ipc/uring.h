// The family of TCP streams over io_uring. It has the same types as sock.h, but its calls use
// io_uring.
//
// A ring belongs to a thread: the thread's first call makes it, and the thread's end closes it. So
// a stream consists of a handle only, and a sender and a receiver in two threads do not share a
// ring. A ring costs a thread one handle. Each call puts one operation into the ring. If the call
// has a limit, it also puts in a time-out that is linked to the operation. The call returns when
// the operation has ended: no octet moves after that, not even after an error of the ring itself.
// After fork the child makes rings of its own. Do not use the calls after vfork or in signal
// handlers.
//
// Handles may change families: `uring::Stream::adopt(stream.release())`. Operations that io_uring
// does not improve use the calls of sock.h: names, options, transfers of files, and connections
// that `Connector::start` begins.
#pragma once

#include <perigee/base/export.h>
#include <perigee/ipc/stream_socket.h>

namespace perigee::ipc {

/// The calls of stream sockets, through the calling thread's ring. Errors: those of the system
/// calls, and the reason why the thread cannot have a ring (see `uring::available`).
struct RingCalls {
  PERIGEE_API static io::Transfer send(int fd, OctetSpan octets, TimeLimit limit) noexcept;
  PERIGEE_API static io::Transfer send(int fd, std::span<const OctetSpan> segments,
                                       TimeLimit limit) noexcept;
  static io::Transfer send_n(int fd, OctetSpan octets, TimeLimit limit) noexcept {
    return send_n(fd, std::span<const OctetSpan>(&octets, 1), limit);
  }
  PERIGEE_API static io::Transfer send_n(int fd, std::span<const OctetSpan> segments,
                                         TimeLimit limit) noexcept;
  PERIGEE_API static io::Transfer recv(int fd, MutableOctetSpan space, TimeLimit limit) noexcept;
  PERIGEE_API static io::Transfer recv(int fd, std::span<const MutableOctetSpan> spaces,
                                       TimeLimit limit) noexcept;
  PERIGEE_API static io::Transfer recv_n(int fd, std::span<const MutableOctetSpan> spaces,
                                         TimeLimit limit) noexcept;
  PERIGEE_API static Result<Handle> open_stream(const InetAddr& address, io::Blocking blocking);
  PERIGEE_API static Result<Handle> open_acceptor(const InetAddr& address);
  PERIGEE_API static Result<Handle> accept(int fd, TimeLimit limit);
  PERIGEE_API static Status connect(int fd, const InetAddr& remote, TimeLimit limit);
};

/// Family tag: the types of TCP streams over io_uring.
struct Uring {
  using Address = InetAddr;
  using Calls = RingCalls;
  using Stream = StreamSocket<Uring>;
  using Acceptor = StreamAcceptor<Uring>;
  using Connector = StreamConnector<Uring>;
  static constexpr SocketKinds stream_kind = SocketKinds::ring_stream;
  static constexpr SocketKinds acceptor_kind = SocketKinds::ring_acceptor;
};

namespace uring {
using Stream = Uring::Stream;
using Acceptor = Uring::Acceptor;
using Connector = Uring::Connector;

/// Whether this thread has a ring, or can make one. Errors: `function_not_supported` (a kernel
/// without io_uring), `operation_not_permitted` (a sandbox or the sysctl kernel.io_uring_disabled
/// forbids it), and those of missing resources. All calls of this family give the same errors.
PERIGEE_API Status available() noexcept;
}  // namespace uring

}  // namespace perigee::ipc
