// The family of TCP streams over io_uring: the types of sock.h, their calls made another way.
//
// A ring belongs to a thread: it is made by the thread's first call and goes with the thread, so
// streams are a handle and nothing else, and a sender and a receiver in two threads do not meet. It
// costs a thread one handle. Each call puts one operation into the ring (and, with a limit, a
// timeout linked to it), and returns when the operation has ended: no octet moves after that, nor
// after an error of the ring itself. After fork the child makes its own; not for vfork, nor for
// signal handlers.
//
// Handles may change families: `uring::Stream::adopt(stream.release())`. What io_uring does no
// better is done as in sock.h: names, options, files, connections that are begun and waited for.
#pragma once

#include <perigee/base/export.h>
#include <perigee/ipc/stream_socket.h>

namespace perigee::ipc {

/// The calls of stream sockets, through the calling thread's ring. Errors besides those of the
/// system calls: what kept the thread from having a ring (see `uring::available`).
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
/// without io_uring), `operation_not_permitted` (a sandbox, or the sysctl kernel.io_uring_disabled,
/// forbids it), and those of exhaustion. All calls of this family give the same.
PERIGEE_API Status available() noexcept;
}  // namespace uring

}  // namespace perigee::ipc
