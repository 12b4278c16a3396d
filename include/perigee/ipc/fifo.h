// Pipes, named (FIFOs) and anonymous. The sending end and the receiving end are two types. All
// functions are inline, none is virtual.
//
// Sending to a pipe without a receiver is the error `broken_pipe`. Before that, the system raises
// SIGPIPE, which ends a process that does not ignore it. Unlike sockets, pipes have no option
// against it: a program that sends to pipes calls `ignore_sigpipe` once.
#pragma once

#include <perigee/ipc/io_pipe.h>
#include <perigee/ipc/stream_socket.h>

#include <cstddef>
#include <span>
#include <utility>

namespace perigee::ipc {

/// Ignores SIGPIPE in the whole process: broken pipes, and broken sockets of other libraries, are
/// then reported by errors only. This library does not call the function, since signals belong to
/// the program.
inline void ignore_sigpipe() noexcept { io::ignore_sigpipe(); }

namespace fifo {

class Sender;
class Receiver;

/// Makes a named pipe. Errors: the system's, for example `file_exists`.
[[nodiscard]] inline Status create(const FifoAddr& address, FifoAccess access = FifoAccess::owner) {
  return io::create_fifo(address, access);
}
/// Removes the path; open ends stay open. Errors: the system's; `not_supported` if the path is not
/// a pipe.
inline Status remove(const FifoAddr& address) { return io::remove_fifo(address); }

/// The sending end of a pipe.
class Sender : public SocketBase<Sender> {
 public:
  using Address = FifoAddr;
  static constexpr SocketKinds kind = SocketKinds::pipe_sender;
  /// The octets of one `send` of up to this size stay together, even if other processes send, too.
  static constexpr std::size_t atomic_size = io::pipe_atomic_size;

  /// The new object is not open.
  Sender() noexcept = default;
  /// Waits until a receiver has opened the pipe. With a limit, looks for a receiver every few
  /// milliseconds, since the system has no timed form. `no_wait`: `operation_would_block` if there
  /// is no receiver.
  [[nodiscard]] static Result<Sender> open(const FifoAddr& address, TimeLimit limit = forever) {
    auto handle = io::open_fifo_sender(address, limit);
    if (!handle) return std::unexpected(handle.error());
    return Sender(std::move(*handle));
  }

  /// Sends some octets, at least one unless `octets` is empty. With a limit, sends at most
  /// `atomic_size`.
  [[nodiscard]] Result<std::size_t> send(OctetSpan octets, TimeLimit limit = forever) noexcept {
    return detail::sent(io::pipe_send(handle(), octets, limit));
  }
  /// The same from several segments, in order: at most the first `segments_max`.
  [[nodiscard]] Result<std::size_t> send(std::span<const OctetSpan> segments,
                                         TimeLimit limit = forever) noexcept {
    return detail::sent(io::pipe_send(handle(), segments, limit));
  }
  /// Sends all octets. `moved` gets the number of octets sent, also after an error.
  [[nodiscard]] Result<std::size_t> send_n(OctetSpan octets, TimeLimit limit = forever) noexcept {
    return send_n(std::span<const OctetSpan>(&octets, 1), limit);
  }
  [[nodiscard]] Result<std::size_t> send_n(std::span<const OctetSpan> segments,
                                           TimeLimit limit = forever) noexcept {
    return detail::sent(io::pipe_send_n(handle(), segments, limit));
  }
  [[nodiscard]] Result<std::size_t> send_n(OctetSpan octets, TimeLimit limit,
                                           std::size_t& moved) noexcept {
    return send_n(std::span<const OctetSpan>(&octets, 1), limit, moved);
  }
  [[nodiscard]] Result<std::size_t> send_n(std::span<const OctetSpan> segments, TimeLimit limit,
                                           std::size_t& moved) noexcept {
    return detail::sent(io::pipe_send_n(handle(), segments, limit), moved);
  }

 private:
  friend struct detail::Opened;
  explicit Sender(Handle handle) noexcept : SocketBase<Sender>(std::move(handle)) {}
};

/// The receiving end of a pipe. The stream ends when all senders have closed it.
class Receiver : public SocketBase<Receiver> {
 public:
  using Address = FifoAddr;
  static constexpr SocketKinds kind = SocketKinds::pipe_receiver;

  /// The new object is not open.
  Receiver() noexcept = default;
  /// Waits until a sender has opened the pipe. With a limit, waits until a sender has sent octets
  /// or has closed the pipe again, since the system has no other event for this. `no_wait`:
  /// `operation_would_block` if neither has happened.
  [[nodiscard]] static Result<Receiver> open(const FifoAddr& address, TimeLimit limit = forever) {
    auto handle = io::open_fifo_receiver(address, limit);
    if (!handle) return std::unexpected(handle.error());
    return Receiver(std::move(*handle));
  }

  /// Receives at least one octet into `space`, or returns the end of the stream.
  [[nodiscard]] Result<Received> recv(MutableOctetSpan space, TimeLimit limit = forever) noexcept {
    if (space.empty()) return Received::octets(0);
    return detail::received(io::pipe_recv(handle(), space, limit), 1);
  }
  /// The same into several spaces, in order.
  [[nodiscard]] Result<Received> recv(std::span<const MutableOctetSpan> spaces,
                                      TimeLimit limit = forever) noexcept {
    if (io::all_empty(spaces)) return Received::octets(0);
    return detail::received(io::pipe_recv(handle(), spaces, limit), 1);
  }
  /// Fills `space`. If the stream ends earlier, returns the octets before the end. `moved` gets the
  /// number of octets received, also after an error.
  [[nodiscard]] Result<Received> recv_n(MutableOctetSpan space,
                                        TimeLimit limit = forever) noexcept {
    return recv_n(std::span<const MutableOctetSpan>(&space, 1), limit);
  }
  [[nodiscard]] Result<Received> recv_n(std::span<const MutableOctetSpan> spaces,
                                        TimeLimit limit = forever) noexcept {
    return detail::received(io::pipe_recv_n(handle(), spaces, limit), io::total_size(spaces));
  }
  [[nodiscard]] Result<Received> recv_n(MutableOctetSpan space, TimeLimit limit,
                                        std::size_t& moved) noexcept {
    return recv_n(std::span<const MutableOctetSpan>(&space, 1), limit, moved);
  }
  [[nodiscard]] Result<Received> recv_n(std::span<const MutableOctetSpan> spaces, TimeLimit limit,
                                        std::size_t& moved) noexcept {
    return detail::received(io::pipe_recv_n(handle(), spaces, limit), io::total_size(spaces),
                            moved);
  }

 private:
  friend struct detail::Opened;
  explicit Receiver(Handle handle) noexcept : SocketBase<Receiver>(std::move(handle)) {}
};

}  // namespace fifo

/// Both ends of an anonymous pipe.
struct Pipe {
  fifo::Sender sender;
  fifo::Receiver receiver;
};
[[nodiscard]] inline Result<Pipe> pipe() {
  auto ends = io::open_pipe();
  if (!ends) return std::unexpected(ends.error());
  return Pipe{detail::Opened::as<fifo::Sender>(std::move((*ends)[1])),
              detail::Opened::as<fifo::Receiver>(std::move((*ends)[0]))};
}

}  // namespace perigee::ipc
