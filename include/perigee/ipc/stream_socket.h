// Stream, Acceptor and Connector over a domain of stream sockets; sock.h and lsock.h name the
// concrete types. Roles are types: an acceptor cannot send, a stream cannot accept, and octets
// cannot be sent before the connection exists. All functions are inline, none is virtual: each
// becomes one call of io.h.
#pragma once

#include <perigee/base/octets.h>
#include <perigee/ipc/file.h>
#include <perigee/ipc/handle.h>
#include <perigee/ipc/io.h>
#include <perigee/ipc/io_local.h>
#include <perigee/ipc/options.h>
#include <perigee/ipc/result.h>

#include <array>
#include <span>
#include <system_error>
#include <utility>

namespace perigee::ipc {

namespace detail {
/// Makes an object from a handle that was opened for the object's class, without checks.
struct Opened {
  template <typename T>
  [[nodiscard]] static T as(Handle handle) noexcept {
    return T(std::move(handle));
  }
};
}  // namespace detail

/// The base of all sockets and pipes: one owned handle and typed options.
template <typename Derived>
class SocketBase : public OwnedHandle {
 public:
  /// Takes ownership of a handle that other code has opened. Brings the handle, and so its
  /// duplicates, into the mode that the class needs (blocking or not, and so on). If the handle is
  /// of another kind, closes it and fails. Errors of sockets: `wrong_protocol_type` (domain or
  /// type), `not_a_socket`, `not_connected` (for a CoDgram), `invalid_argument` (a listening socket
  /// for a stream, or a stream for an acceptor). Errors of pipes: `not_supported` (not a pipe).
  /// Errors of both: `bad_file_descriptor` (not open, or the wrong end of a pipe).
  [[nodiscard]] static Result<Derived> adopt(int fd) noexcept {
    Handle handle(fd);
    if (const auto status = io::make_fit(fd, Derived::kind); !status) {
      return std::unexpected(status.error());
    }
    return detail::Opened::as<Derived>(std::move(handle));
  }

  template <typename Option>
    requires OptionOf<Option, Derived>
  Status set(Option option) {
    return io::set_option(handle(), Option::name, option.raw());
  }
  template <typename Option>
    requires ReadableOptionOf<Option, Derived>
  [[nodiscard]] Result<Option> get() const {
    const auto raw = io::get_option(handle(), Option::name);
    if (!raw) return std::unexpected(raw.error());
    return Option::from_raw(*raw);
  }

 protected:
  SocketBase() noexcept = default;
  using OwnedHandle::OwnedHandle;
};

namespace detail {
inline std::error_code system_error(int code) noexcept { return {code, std::system_category()}; }

template <typename Address>
Result<Address> name_of(int fd, io::Side side) {
  Address address;
  if (const auto status = io::name_of(fd, side, address); !status) {
    return std::unexpected(status.error());
  }
  return address;
}

inline Result<std::size_t> sent(io::Transfer transfer) noexcept {
  if (transfer.error != 0) return std::unexpected(system_error(transfer.error));
  return transfer.count;
}
inline Status done(io::Transfer transfer) noexcept {
  if (transfer.error != 0) return std::unexpected(system_error(transfer.error));
  return {};
}
/// If fewer octets than `wanted` came without an error, the stream has ended.
inline Result<Received> received(io::Transfer transfer, std::size_t wanted) noexcept {
  if (transfer.error != 0) return std::unexpected(system_error(transfer.error));
  if (transfer.count < wanted) return Received::end(transfer.count);
  return Received::octets(transfer.count);
}
inline Result<Received> received_message(const io::MessageTransfer& transfer) noexcept {
  if (transfer.error != 0) return std::unexpected(system_error(transfer.error));
  return transfer.is_end ? Received::end() : Received::octets(transfer.count);
}
/// Like `sent` and `received` above. `moved` gets the number of octets moved, also after an error.
inline Result<std::size_t> sent(io::Transfer transfer, std::size_t& moved) noexcept {
  moved = transfer.count;
  return sent(transfer);
}
inline Result<Received> received(io::Transfer transfer, std::size_t wanted,
                                 std::size_t& moved) noexcept {
  moved = transfer.count;
  return received(transfer, wanted);
}
inline Result<ReceivedHandles> received_handles(const io::MessageTransfer& transfer) noexcept {
  const auto octets = received_message(transfer);
  if (!octets) return std::unexpected(octets.error());
  return ReceivedHandles{*octets, transfer.handle_count};
}

/// Sets options one after the other until one fails.
template <typename... Options>
Status set_all([[maybe_unused]] int fd, const Options&... options) {
  Status status;
  [[maybe_unused]] const auto set = [&](io::OptionName name, std::int64_t raw) {
    if (status) status = io::set_option(fd, name, raw);
  };
  (set(Options::name, options.raw()), ...);
  return status;
}
}  // namespace detail

/// Two ends that are connected to each other.
template <typename Stream>
struct Pair {
  Stream first;
  Stream second;
};

namespace detail {
template <typename Stream>
Result<Pair<Stream>> pair_of(Result<std::array<Handle, 2>> handles) noexcept {
  if (!handles) return std::unexpected(handles.error());
  return Pair<Stream>{Opened::as<Stream>(std::move((*handles)[0])),
                      Opened::as<Stream>(std::move((*handles)[1]))};
}
}  // namespace detail

/// The calls of a domain as system calls, through io.h. RingCalls (uring.h) uses io_uring.
struct SystemCalls {
  static auto send(auto... arguments) noexcept { return io::send(arguments...); }
  static auto send_n(auto... arguments) noexcept { return io::send_n(arguments...); }
  static auto recv(auto... arguments) noexcept { return io::recv(arguments...); }
  static auto recv_n(auto... arguments) noexcept { return io::recv_n(arguments...); }
  static auto open_stream(const auto& address, io::Blocking blocking) {
    return io::open_stream(address, blocking);
  }
  static auto open_acceptor(const auto& address) {
    return io::open_stream(address, io::Blocking::no);
  }
  static auto accept(int fd, TimeLimit limit) { return io::accept(fd, limit); }
  static auto connect(int fd, const auto& remote, TimeLimit limit) {
    return io::connect(fd, remote, limit);
  }
};

/// A domain of UNIX-domain sockets: its streams carry handles, and know the process that made their
/// other end.
template <typename Domain>
concept LocalDomain = intersect(Domain::stream_kind, SocketKinds::local_stream);

/// The base of connections of octets and of records: two ends and two directions.
template <typename Derived, typename AddressType>
class ConnectedSocket : public SocketBase<Derived> {
 public:
  using Address = AddressType;

  /// The peer gets the end of the stream when it has received all octets.
  void close_sender() noexcept { io::shutdown(this->handle(), io::Direction::send); }
  void close_receiver() noexcept { io::shutdown(this->handle(), io::Direction::receive); }
  /// Ends both directions and wakes the threads that are blocked on them. Any thread.
  void interrupt() noexcept { io::shutdown(this->handle(), io::Direction::both); }

  [[nodiscard]] Result<Address> local_address() const {
    return detail::name_of<Address>(this->handle(), io::Side::local);
  }
  [[nodiscard]] Result<Address> peer_address() const {
    return detail::name_of<Address>(this->handle(), io::Side::peer);
  }

 protected:
  ConnectedSocket() noexcept = default;
  using SocketBase<Derived>::SocketBase;
};

/// A connected stream. One sender and one receiver may work at the same time.
template <typename Domain>
class StreamSocket : public ConnectedSocket<StreamSocket<Domain>, typename Domain::Address> {
 public:
  static constexpr SocketKinds kind = Domain::stream_kind;

  /// The new object is not open.
  StreamSocket() noexcept = default;

  /// Sends some octets, at least one unless `octets` is empty. Never raises SIGPIPE.
  [[nodiscard]] Result<std::size_t> send(OctetSpan octets, TimeLimit limit = forever) noexcept {
    return detail::sent(Calls::send(this->handle(), octets, limit));
  }
  /// The same from several segments, in order (gather-write): at most the first `segments_max`.
  [[nodiscard]] Result<std::size_t> send(std::span<const OctetSpan> segments,
                                         TimeLimit limit = forever) noexcept {
    return detail::sent(Calls::send(this->handle(), segments, limit));
  }
  /// Sends all octets. `moved` gets the number of octets sent, also if an error ends the call, for
  /// example a limit that passes in the middle.
  [[nodiscard]] Result<std::size_t> send_n(OctetSpan octets, TimeLimit limit = forever) noexcept {
    return detail::sent(Calls::send_n(this->handle(), octets, limit));
  }
  [[nodiscard]] Result<std::size_t> send_n(std::span<const OctetSpan> segments,
                                           TimeLimit limit = forever) noexcept {
    return detail::sent(Calls::send_n(this->handle(), segments, limit));
  }
  [[nodiscard]] Result<std::size_t> send_n(OctetSpan octets, TimeLimit limit,
                                           std::size_t& moved) noexcept {
    return detail::sent(Calls::send_n(this->handle(), octets, limit), moved);
  }
  [[nodiscard]] Result<std::size_t> send_n(std::span<const OctetSpan> segments, TimeLimit limit,
                                           std::size_t& moved) noexcept {
    return detail::sent(Calls::send_n(this->handle(), segments, limit), moved);
  }

  /// Receives at least one octet into `space`, or returns the end of the stream.
  [[nodiscard]] Result<Received> recv(MutableOctetSpan space, TimeLimit limit = forever) noexcept {
    if (space.empty()) return Received::octets(0);
    return detail::received(Calls::recv(this->handle(), space, limit), 1);
  }
  /// The same into several spaces, in order (scatter-read).
  [[nodiscard]] Result<Received> recv(std::span<const MutableOctetSpan> spaces,
                                      TimeLimit limit = forever) noexcept {
    if (io::all_empty(spaces)) return Received::octets(0);
    return detail::received(Calls::recv(this->handle(), spaces, limit), 1);
  }
  /// Fills `space`. If the stream ends earlier, returns the octets before the end. `moved` gets the
  /// number of octets received, also after an error: these octets have left the stream.
  [[nodiscard]] Result<Received> recv_n(MutableOctetSpan space,
                                        TimeLimit limit = forever) noexcept {
    return recv_n(std::span<const MutableOctetSpan>(&space, 1), limit);
  }
  [[nodiscard]] Result<Received> recv_n(std::span<const MutableOctetSpan> spaces,
                                        TimeLimit limit = forever) noexcept {
    return detail::received(Calls::recv_n(this->handle(), spaces, limit), io::total_size(spaces));
  }
  [[nodiscard]] Result<Received> recv_n(MutableOctetSpan space, TimeLimit limit,
                                        std::size_t& moved) noexcept {
    return recv_n(std::span<const MutableOctetSpan>(&space, 1), limit, moved);
  }
  [[nodiscard]] Result<Received> recv_n(std::span<const MutableOctetSpan> spaces, TimeLimit limit,
                                        std::size_t& moved) noexcept {
    return detail::received(Calls::recv_n(this->handle(), spaces, limit), io::total_size(spaces),
                            moved);
  }

  /// Sends some octets, at least one, together with open handles (at most `io::handles_max`), which
  /// stay open here. If octets were sent, all handles were sent.
  [[nodiscard, gnu::always_inline]] Result<std::size_t> send_handles(
      OctetSpan octets, std::span<const int> handles, TimeLimit limit = forever) noexcept
    requires LocalDomain<Domain>
  {
    return detail::sent(io::send_handles(this->handle(), octets, handles, limit));
  }
  /// Receives octets and their handles, close-on-exec, into the first elements of `handles`.
  /// A `recv` that receives the first octet sent with handles closes these handles.
  /// Errors: `message_size` (more handles than fit) and `too_many_files_open`. Then these octets
  /// are lost, and their handles are closed.
  [[nodiscard, gnu::always_inline]] Result<ReceivedHandles> recv_handles(
      MutableOctetSpan space, std::span<Handle> handles, TimeLimit limit = forever) noexcept
    requires LocalDomain<Domain>
  {
    if (space.empty()) return ReceivedHandles{Received::octets(0)};
    return detail::received_handles(io::recv_handles(this->handle(), space, handles, limit));
  }
  /// The process that made the other end, by connecting or by listening.
  [[nodiscard]] Result<PeerCredentials> peer_credentials() const
    requires LocalDomain<Domain>
  {
    return io::peer_credentials(this->handle());
  }

  /// Sends up to `count` octets of `file` from `offset` on, without a copy in the program. Sends at
  /// least one octet, or 0 if the file ends at `offset`.
  [[nodiscard]] Result<std::size_t> send_file(const File& file, std::uint64_t offset,
                                              std::size_t count,
                                              TimeLimit limit = forever) noexcept {
    return detail::sent(io::send_file(this->handle(), file.handle(), offset, count, limit));
  }
  /// Sends `count` octets, or fewer if the file ends before them. `moved`: see `send_n`.
  [[nodiscard]] Result<std::size_t> send_file_n(const File& file, std::uint64_t offset,
                                                std::size_t count,
                                                TimeLimit limit = forever) noexcept {
    return detail::sent(io::send_file_n(this->handle(), file.handle(), offset, count, limit));
  }
  [[nodiscard]] Result<std::size_t> send_file_n(const File& file, std::uint64_t offset,
                                                std::size_t count, TimeLimit limit,
                                                std::size_t& moved) noexcept {
    return detail::sent(io::send_file_n(this->handle(), file.handle(), offset, count, limit),
                        moved);
  }
  /// Receives up to `count` octets into `file` at `offset`, without a copy in the program. Receives
  /// at least one octet, or returns the end of the stream. After an error of the file (a full
  /// disk), octets of the stream are lost: the stream can only be closed.
  [[nodiscard]] Result<Received> recv_file(OutputFile& file, std::uint64_t offset,
                                           std::size_t count, TimeLimit limit = forever) noexcept {
    if (count == 0) return Received::octets(0);
    return detail::received(io::recv_file(this->handle(), file.handle(), offset, count, limit), 1);
  }
  /// Receives `count` octets. If the stream ends earlier, receives the octets before the end.
  /// `moved` gets the number of octets in the file, also after an error.
  [[nodiscard]] Result<Received> recv_file_n(OutputFile& file, std::uint64_t offset,
                                             std::size_t count,
                                             TimeLimit limit = forever) noexcept {
    return detail::received(io::recv_file_n(this->handle(), file.handle(), offset, count, limit),
                            count);
  }
  [[nodiscard]] Result<Received> recv_file_n(OutputFile& file, std::uint64_t offset,
                                             std::size_t count, TimeLimit limit,
                                             std::size_t& moved) noexcept {
    return detail::received(io::recv_file_n(this->handle(), file.handle(), offset, count, limit),
                            count, moved);
  }

 private:
  friend struct detail::Opened;
  template <typename>
  friend class StreamAcceptor;
  template <typename>
  friend class StreamConnector;
  template <typename>
  friend class PendingStream;
  using Calls = typename Domain::Calls;

  explicit StreamSocket(Handle handle) noexcept
      : StreamSocket::ConnectedSocket(std::move(handle)) {}
};

/// Listens at an address and makes streams of incoming connections. It cannot carry data.
template <typename Domain>
class StreamAcceptor : public SocketBase<StreamAcceptor<Domain>> {
 public:
  using Address = typename Domain::Address;
  using Stream = typename Domain::Stream;
  static constexpr SocketKinds kind = Domain::acceptor_kind;

  /// The new object is not open.
  StreamAcceptor() noexcept = default;
  /// Sets the options, binds and listens.
  template <typename... Options>
    requires(OptionOf<Options, StreamAcceptor> && ...)
  [[nodiscard]] static Result<StreamAcceptor> open(const Address& local, Options... options) {
    auto handle = Calls::open_acceptor(local);
    if (!handle) return std::unexpected(handle.error());
    auto status = detail::set_all(handle->get(), options...);
    if (status) status = io::listen(handle->get(), local);
    if (!status) return std::unexpected(status.error());
    return StreamAcceptor(std::move(*handle));
  }
  /// Waits for a connection. After `interrupt`: an error (`std::errc::invalid_argument`).
  [[nodiscard]] Result<Stream> accept(TimeLimit limit = forever) {
    auto handle = Calls::accept(this->handle(), limit);
    if (!handle) return std::unexpected(handle.error());
    return Stream(std::move(*handle));
  }
  /// Ends a blocked `accept`; later calls fail, too. Any thread.
  void interrupt() noexcept { io::shutdown(this->handle(), io::Direction::both); }
  /// The address at which it listens, with the port or name that the system chose.
  [[nodiscard]] Result<Address> local_address() const {
    return detail::name_of<Address>(this->handle(), io::Side::local);
  }

 private:
  friend struct detail::Opened;
  using Calls = typename Domain::Calls;
  explicit StreamAcceptor(Handle handle) noexcept : SocketBase<StreamAcceptor>(std::move(handle)) {}
};

/// A connection in progress. Its handle becomes writable (for poll or a reactor) when the
/// connection is made or has failed.
template <typename Domain>
class PendingStream : public SocketBase<PendingStream<Domain>> {
 public:
  using Stream = typename Domain::Stream;
  static constexpr SocketKinds kind = Domain::stream_kind;

  /// Waits until the connection is made or has failed. If it is made, this object must not be used
  /// again.
  [[nodiscard]] Result<Stream> finish(TimeLimit limit = forever) {
    if (const auto status = io::finish_connect(this->handle(), limit); !status) {
      return std::unexpected(status.error());
    }
    return Stream(Handle(this->release()));
  }

 private:
  friend struct detail::Opened;
  template <typename>
  friend class StreamConnector;
  explicit PendingStream(Handle handle) noexcept : SocketBase<PendingStream>(std::move(handle)) {}
};

/// Makes streams to addresses. Owns no handle: the caller owns the streams.
template <typename Domain>
class StreamConnector {
 public:
  using Address = typename Domain::Address;
  using Stream = typename Domain::Stream;
  using Pending = PendingStream<Domain>;

  /// Sets the options and waits until connected, at most for `limit`, which must not be `no_wait`:
  /// see `start`.
  template <typename... Options>
    requires(OptionOf<Options, Stream> && ...)
  [[nodiscard]] static Result<Stream> connect(const Address& remote, TimeLimit limit,
                                              Options... options) {
    auto handle = opened(remote, io::Blocking::yes, options...);
    if (!handle) return std::unexpected(handle.error());
    if (const auto status = Calls::connect(handle->get(), remote, limit); !status) {
      return std::unexpected(status.error());
    }
    return Stream(std::move(*handle));
  }
  [[nodiscard]] static Result<Stream> connect(const Address& remote) {
    return connect(remote, forever);
  }
  /// Sets the options and begins to connect. Does not wait.
  template <typename... Options>
    requires(OptionOf<Options, Stream> && ...)
  [[nodiscard]] static Result<Pending> start(const Address& remote, Options... options) {
    auto handle = opened(remote, io::Blocking::no, options...);
    if (!handle) return std::unexpected(handle.error());
    if (const auto status = io::start_connect(handle->get(), remote); !status) {
      return std::unexpected(status.error());
    }
    return Pending(std::move(*handle));
  }

 private:
  using Calls = typename Domain::Calls;

  template <typename... Options>
  static Result<Handle> opened(const Address& remote, io::Blocking blocking,
                               const Options&... options) {
    auto handle = Calls::open_stream(remote, blocking);
    if (!handle) return handle;
    if (const auto status = detail::set_all(handle->get(), options...); !status) {
      return std::unexpected(status.error());
    }
    return handle;
  }
};

}  // namespace perigee::ipc
