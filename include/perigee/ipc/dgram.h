// Datagrams: to and from any address (Dgram), or to and from one peer (CoDgram). sock.h and lsock.h
// name the concrete types; group.h has broadcast and multicast. A datagram arrives whole or not at
// all. An empty datagram is valid: it does not end a stream. All functions are inline, none is
// virtual.
#pragma once

#include <perigee/ipc/io_dgram.h>
#include <perigee/ipc/stream_socket.h>

#include <cstddef>
#include <span>
#include <utility>

namespace perigee::ipc {

/// The result of a receive from one peer.
struct ReceivedDatagram {
  std::size_t count;  ///< octets put into the caller's space
  std::size_t size;   ///< octets of the datagram
  /// Whether the space was too small: the rest of the datagram is lost.
  [[nodiscard]] constexpr bool truncated() const noexcept { return size > count; }
};

/// The result of a receive from any sender.
template <typename Address>
struct ReceivedFrom : ReceivedDatagram {
  Address sender;  ///< unnamed if the sender is a local socket without an address
  // Not defaulted: a defaulted constructor would zero all members first.
  ReceivedFrom() noexcept {}  // NOLINT(modernize-use-equals-default)
};

/// The result of a receive of a datagram with handles.
template <typename Address>
struct ReceivedHandlesFrom {
  std::size_t count = 0;
  std::size_t handle_count = 0;  ///< in the first elements of the caller's space
  Address sender;
};

namespace detail {
inline Result<ReceivedDatagram> received_datagram(io::Transfer transfer,
                                                  MutableOctetSpan space) noexcept {
  if (transfer.error != 0) return std::unexpected(system_error(transfer.error));
  const std::size_t count = transfer.count < space.size() ? transfer.count : space.size();
  return ReceivedDatagram{count, transfer.count};
}
/// Always inline (see io.h), so that only the parts of the result that the caller uses remain.
template <typename Address>
[[gnu::always_inline]] inline Result<ReceivedFrom<Address>> received_from(
    int fd, MutableOctetSpan space, TimeLimit limit) noexcept {
  // The address is received in place, since copies of it are expensive.
  Result<ReceivedFrom<Address>> result(std::in_place);
  const io::Transfer transfer = io::recv_from(fd, space, result->sender, limit);
  if (transfer.error != 0) [[unlikely]] {
    result = std::unexpected(system_error(transfer.error));
  } else {
    // Tells the compiler that the result still has a value: the system call wrote only to the
    // sender.
    if (!result.has_value()) std::unreachable();
    result->count = transfer.count < space.size() ? transfer.count : space.size();
    result->size = transfer.count;
  }
  return result;
}

template <typename Address>
Result<ReceivedHandlesFrom<Address>> received_handles_from(int fd, MutableOctetSpan space,
                                                           std::span<Handle> handles,
                                                           TimeLimit limit) noexcept {
  Address sender;
  const auto got = io::recv_handles_from(fd, space, handles, sender, limit);
  if (got.error != 0) return std::unexpected(system_error(got.error));
  return ReceivedHandlesFrom<Address>{got.count, got.handle_count, sender};
}

/// Opens a socket of the address's domain, sets options, and binds it.
template <typename Address, typename... Options>
Result<Handle> bound_dgram(const Address& local, const Options&... options) {
  auto handle = io::open_dgram(local);
  if (!handle) return handle;
  auto status = set_all(handle->get(), options...);
  if (status) status = io::bind(handle->get(), local);
  if (!status) return std::unexpected(status.error());
  return handle;
}
}  // namespace detail

/// Sends to any address and receives from any address. Several threads may send and receive.
template <typename Domain>
class DgramSocket : public SocketBase<DgramSocket<Domain>> {
 public:
  using Address = typename Domain::Address;
  static constexpr SocketKinds kind = Domain::dgram_kind;

  /// The new object is not open.
  DgramSocket() noexcept = default;
  /// Sets the options and binds. By default the system chooses a port or name, at which replies
  /// arrive.
  template <typename... Options>
    requires(OptionOf<Options, DgramSocket> && ...)
  [[nodiscard]] static Result<DgramSocket> open(const Address& local = Address{},
                                                Options... options) {
    auto handle = detail::bound_dgram(local, options...);
    if (!handle) return std::unexpected(handle.error());
    return DgramSocket(std::move(*handle));
  }

  /// Sends one datagram. Errors: `message_size` if it is larger than the protocol allows.
  [[nodiscard]] Status send_to(OctetSpan octets, const Address& to,
                               TimeLimit limit = forever) noexcept {
    return detail::done(io::send_to(this->handle(), octets, to, limit));
  }
  /// One datagram of several segments, at most `io::segments_max`.
  [[nodiscard]] Status send_to(std::span<const OctetSpan> segments, const Address& to,
                               TimeLimit limit = forever) noexcept {
    return detail::done(io::send_datagram(this->handle(), segments, io::NativeName(to), limit));
  }
  /// Receives one datagram.
  [[nodiscard, gnu::always_inline]] Result<ReceivedFrom<Address>> recv_from(
      MutableOctetSpan space, TimeLimit limit = forever) noexcept {
    return detail::received_from<Address>(this->handle(), space, limit);
  }

  /// Sends one datagram with open handles, at most `io::handles_max`, which stay open here.
  [[nodiscard]] Status send_handles_to(OctetSpan octets, std::span<const int> handles,
                                       const Address& to, TimeLimit limit = forever) noexcept
    requires LocalDomain<Domain>
  {
    return detail::done(io::send_handles_to(this->handle(), octets, handles, to, limit));
  }
  /// Receives a datagram with its handles, close-on-exec, into the first elements of `handles`.
  /// Errors: `message_size` (more octets or handles than fit) and `too_many_files_open`: the
  /// datagram is lost, and its handles are closed.
  [[nodiscard]] Result<ReceivedHandlesFrom<Address>> recv_handles_from(
      MutableOctetSpan space, std::span<Handle> handles, TimeLimit limit = forever) noexcept
    requires LocalDomain<Domain>
  {
    return detail::received_handles_from<Address>(this->handle(), space, handles, limit);
  }

  /// The address at which replies arrive, also if the system chose the port or name.
  [[nodiscard]] Result<Address> local_address() const {
    return detail::name_of<Address>(this->handle(), io::Side::local);
  }

 private:
  friend struct detail::Opened;
  explicit DgramSocket(Handle handle) noexcept : SocketBase<DgramSocket>(std::move(handle)) {}
};

/// Sends to one peer and receives from it only. `open` fixes the peer.
template <typename Domain>
class CoDgramSocket : public SocketBase<CoDgramSocket<Domain>> {
 public:
  using Address = typename Domain::Address;
  static constexpr SocketKinds kind = Domain::codgram_kind;
  struct Ends {
    Address local;
    Address peer;
  };

  /// The new object is not open.
  CoDgramSocket() noexcept = default;
  /// The system chooses the local address.
  template <typename... Options>
    requires(OptionOf<Options, CoDgramSocket> && ...)
  [[nodiscard]] static Result<CoDgramSocket> open(const Address& peer, Options... options) {
    auto handle = io::open_codgram(peer);
    return connected(std::move(handle), peer, options...);
  }
  template <typename... Options>
    requires(OptionOf<Options, CoDgramSocket> && ...)
  [[nodiscard]] static Result<CoDgramSocket> open(const Ends& ends, Options... options) {
    return connected(detail::bound_dgram(ends.local, options...), ends.peer);
  }

  /// Sends one datagram to the peer. Errors: `message_size`, and `connection_refused` if the system
  /// has learned that an earlier datagram found no socket.
  [[nodiscard]] Status send(OctetSpan octets, TimeLimit limit = forever) noexcept {
    return detail::done(io::send(this->handle(), octets, limit));
  }
  /// One datagram of several segments, at most `io::segments_max`.
  [[nodiscard]] Status send(std::span<const OctetSpan> segments,
                            TimeLimit limit = forever) noexcept {
    return detail::done(io::send_datagram(this->handle(), segments, {}, limit));
  }
  /// Receives one datagram of the peer. Errors: `connection_refused`, see `send`.
  [[nodiscard]] Result<ReceivedDatagram> recv(MutableOctetSpan space,
                                              TimeLimit limit = forever) noexcept {
    return detail::received_datagram(io::recv_datagram(this->handle(), space, limit), space);
  }

  /// See DgramSocket.
  [[nodiscard]] Status send_handles(OctetSpan octets, std::span<const int> handles,
                                    TimeLimit limit = forever) noexcept
    requires LocalDomain<Domain>
  {
    return detail::done(io::send_handles(this->handle(), octets, handles, limit));
  }
  [[nodiscard]] Result<ReceivedHandlesFrom<Address>> recv_handles(
      MutableOctetSpan space, std::span<Handle> handles, TimeLimit limit = forever) noexcept
    requires LocalDomain<Domain>
  {
    return detail::received_handles_from<Address>(this->handle(), space, handles, limit);
  }

  [[nodiscard]] Result<Address> local_address() const {
    return detail::name_of<Address>(this->handle(), io::Side::local);
  }
  [[nodiscard]] Result<Address> peer_address() const {
    return detail::name_of<Address>(this->handle(), io::Side::peer);
  }

 private:
  friend struct detail::Opened;
  explicit CoDgramSocket(Handle handle) noexcept : SocketBase<CoDgramSocket>(std::move(handle)) {}

  template <typename... Options>
  static Result<CoDgramSocket> connected(Result<Handle> handle, const Address& peer,
                                         const Options&... options) {
    if (!handle) return std::unexpected(handle.error());
    auto status = detail::set_all(handle->get(), options...);
    if (status) status = io::connect(handle->get(), peer, forever);
    if (!status) return std::unexpected(status.error());
    return CoDgramSocket(std::move(*handle));
  }
};

}  // namespace perigee::ipc
