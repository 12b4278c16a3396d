// Datagrams to many hosts: broadcast on the links of this host, and multicast to groups. IP only.
#pragma once

#include <perigee/ipc/dgram.h>
#include <perigee/ipc/interface.h>
#include <perigee/ipc/mcast_addr.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

namespace perigee::ipc::sock {

/// Sends to all hosts on the links of all interfaces, or of one interface. Receives from any host.
/// IPv4 only: IPv6 has no broadcast.
class DgramBcast : public SocketBase<DgramBcast> {
 public:
  using Address = InetAddr;
  static constexpr SocketKinds kind = SocketKinds::inet_bcast;

  /// The new object is not open.
  DgramBcast() noexcept = default;
  /// Sends by all interfaces that are up and can broadcast at the time of the call. To receive
  /// broadcasts, `local` is `InetAddr::any(port)`. Errors: `address_family_not_supported` for an
  /// IPv6 address, `network_unreachable` if there is no such interface.
  template <typename... Options>
    requires(OptionOf<Options, DgramBcast> && ...)
  [[nodiscard]] static Result<DgramBcast> open(const InetAddr& local, Options... options) {
    auto all = io::broadcast_interfaces();
    if (!all) return std::unexpected(all.error());
    return opened(local, std::move(*all), options...);
  }
  /// Sends by one interface.
  template <typename... Options>
    requires(OptionOf<Options, DgramBcast> && ...)
  [[nodiscard]] static Result<DgramBcast> open(const InetAddr& local, Interface by,
                                               Options... options) {
    return opened(local, {by}, options...);
  }

  /// Sends one datagram on each link, to `port` of all its hosts. Returns the number of links on
  /// which the datagram left. It is an error only if the datagram left on no link. The limit is for
  /// all links together.
  [[nodiscard, gnu::always_inline]] Result<std::size_t> send(OctetSpan octets, std::uint16_t port,
                                                             TimeLimit limit = forever) noexcept {
    return detail::sent(io::broadcast(handle(), octets, port, by_, limit));
  }
  [[nodiscard, gnu::always_inline]] Result<ReceivedFrom<InetAddr>> recv_from(
      MutableOctetSpan space, TimeLimit limit = forever) noexcept {
    return detail::received_from<InetAddr>(handle(), space, limit);
  }

  /// The interfaces by which it sends.
  [[nodiscard]] std::span<const Interface> interfaces() const noexcept { return by_; }
  [[nodiscard]] Result<InetAddr> local_address() const {
    return detail::name_of<InetAddr>(handle(), io::Side::local);
  }
  /// Deleted, since a handle alone does not contain the interfaces.
  static DgramBcast adopt(int fd) = delete;

 private:
  friend struct detail::Opened;
  explicit DgramBcast(Handle handle) noexcept : SocketBase<DgramBcast>(std::move(handle)) {}

  template <typename... Options>
  static Result<DgramBcast> opened(const InetAddr& local, std::vector<Interface> by,
                                   const Options&... options) {
    if (local.version() != InetAddr::Version::v4) {
      return std::unexpected(std::make_error_code(std::errc::address_family_not_supported));
    }
    auto handle = detail::bound_dgram(local, options...);
    if (!handle) return std::unexpected(handle.error());
    if (const auto status = io::allow_broadcast(handle->get()); !status) {
      return std::unexpected(status.error());
    }
    DgramBcast socket(std::move(*handle));
    socket.by_ = std::move(by);
    return socket;
  }

  std::vector<Interface> by_;
};

/// Sends to groups, and receives datagrams to the groups that it has joined. IPv4 or IPv6, like its
/// local address. Options: McastInterface, McastHops, McastLoop, and those of a Dgram.
class DgramMcast : public SocketBase<DgramMcast> {
 public:
  using Address = InetAddr;
  static constexpr SocketKinds kind = SocketKinds::inet_mcast;

  /// The new object is not open.
  DgramMcast() noexcept = default;
  /// To receive, `local` is `InetAddr::any(port)` or `any_v6(port)` with the groups' port. With
  /// `ReuseAddress` several sockets of one host may use the port.
  template <typename... Options>
    requires(OptionOf<Options, DgramMcast> && ...)
  [[nodiscard]] static Result<DgramMcast> open(const InetAddr& local, Options... options) {
    auto handle = detail::bound_dgram(local, options...);
    if (!handle) return std::unexpected(handle.error());
    if (const auto status = io::only_own_groups(handle->get(), local); !status) {
      return std::unexpected(status.error());
    }
    return DgramMcast(std::move(*handle));
  }

  /// From now on receives datagrams to the group that arrive by this interface; may be called for
  /// several groups. Errors: `address_in_use` if the group was joined already; `no_such_device`;
  /// `address_family…` or `no_protocol_option` for a group of the other version of IP.
  Status join(const McastAddr& group, Interface on = Interface::any()) {
    return io::join_group(handle(), group, on);
  }
  /// Errors: `address_not_available` if the group was not joined.
  Status leave(const McastAddr& group, Interface on = Interface::any()) {
    return io::leave_group(handle(), group, on);
  }

  /// Sends one datagram to a group, joined or not.
  [[nodiscard]] Status send_to(OctetSpan octets, const McastAddr& group,
                               TimeLimit limit = forever) noexcept {
    return detail::done(io::send_to(handle(), octets, group.inet(), limit));
  }
  [[nodiscard]] Status send_to(std::span<const OctetSpan> segments, const McastAddr& group,
                               TimeLimit limit = forever) noexcept {
    return detail::done(io::send_datagram(handle(), segments, io::NativeName(group.inet()), limit));
  }
  [[nodiscard, gnu::always_inline]] Result<ReceivedFrom<InetAddr>> recv_from(
      MutableOctetSpan space, TimeLimit limit = forever) noexcept {
    return detail::received_from<InetAddr>(handle(), space, limit);
  }
  [[nodiscard]] Result<InetAddr> local_address() const {
    return detail::name_of<InetAddr>(handle(), io::Side::local);
  }

 private:
  friend struct detail::Opened;
  explicit DgramMcast(Handle handle) noexcept : SocketBase<DgramMcast>(std::move(handle)) {}
};

}  // namespace perigee::ipc::sock
