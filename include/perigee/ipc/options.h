// Socket options as types. Code compiles only if it sets options that the kind of socket has.
#pragma once

#include <perigee/ipc/interface.h>
#include <perigee/ipc/io.h>

#include <chrono>
#include <concepts>
#include <cstdint>

namespace perigee::ipc {

/// Kinds of sockets and pipes, as flags. An option lists the kinds that have it; a socket type has
/// one kind.
enum class SocketKinds : std::uint32_t {
  none = 0,
  inet_stream = 1,
  inet_acceptor = 2,
  local_stream = 4,
  local_acceptor = 8,
  record_stream = 16,
  record_acceptor = 32,
  pipe_sender = 64,
  ring_stream = 128,
  ring_acceptor = 256,
  inet_dgram = 512,
  inet_codgram = 1024,
  inet_bcast = 2048,
  inet_mcast = 4096,
  local_dgram = 8192,
  local_codgram = 16384,
  pipe_receiver = 32768,
};
constexpr SocketKinds operator|(SocketKinds a, SocketKinds b) noexcept {
  return static_cast<SocketKinds>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr bool intersect(SocketKinds a, SocketKinds b) noexcept {
  return (static_cast<std::uint32_t>(a) & static_cast<std::uint32_t>(b)) != 0;
}

namespace io {
/// Prepares a handle for the class that adopts it: see SocketBase::adopt.
PERIGEE_API Status make_fit(int fd, SocketKinds kind) noexcept;
}  // namespace io

/// An option that is on or off.
template <io::OptionName Name, SocketKinds Kinds>
struct SwitchOption {
  static constexpr io::OptionName name = Name;
  static constexpr SocketKinds kinds = Kinds;

  bool on = true;
  [[nodiscard]] constexpr std::int64_t raw() const noexcept { return on ? 1 : 0; }
  [[nodiscard]] static constexpr SwitchOption from_raw(std::int64_t raw) noexcept {
    return {raw != 0};
  }
};

/// An option that is a size in octets.
template <io::OptionName Name, SocketKinds Kinds>
struct SizeOption {
  static constexpr io::OptionName name = Name;
  static constexpr SocketKinds kinds = Kinds;

  std::int64_t size = 0;
  [[nodiscard]] constexpr std::int64_t raw() const noexcept { return size; }
  [[nodiscard]] static constexpr SizeOption from_raw(std::int64_t raw) noexcept { return {raw}; }
};

/// An option that is a time; zero means none.
template <io::OptionName Name, SocketKinds Kinds>
struct TimeOption {
  static constexpr io::OptionName name = Name;
  static constexpr SocketKinds kinds = Kinds;

  std::chrono::microseconds time{0};
  [[nodiscard]] constexpr std::int64_t raw() const noexcept { return time.count(); }
  [[nodiscard]] static constexpr TimeOption from_raw(std::int64_t raw) noexcept {
    return {std::chrono::microseconds(raw)};
  }
};

namespace detail {
inline constexpr SocketKinds tcp_stream = SocketKinds::inet_stream | SocketKinds::ring_stream;
inline constexpr SocketKinds tcp_acceptor = SocketKinds::inet_acceptor | SocketKinds::ring_acceptor;
/// The streams whose blocking calls wait inside the system call. SO_SNDTIMEO and SO_RCVTIMEO limit
/// such a wait.
inline constexpr SocketKinds every_waiting_stream =
    SocketKinds::inet_stream | SocketKinds::local_stream | SocketKinds::record_stream;
inline constexpr SocketKinds every_acceptor =
    tcp_acceptor | SocketKinds::local_acceptor | SocketKinds::record_acceptor;
inline constexpr SocketKinds every_inet_dgram = SocketKinds::inet_dgram |
                                                SocketKinds::inet_codgram |
                                                SocketKinds::inet_bcast | SocketKinds::inet_mcast;
inline constexpr SocketKinds every_dgram =
    every_inet_dgram | SocketKinds::local_dgram | SocketKinds::local_codgram;
inline constexpr SocketKinds every_carrier = every_waiting_stream | every_dgram;
inline constexpr SocketKinds every_socket =
    every_carrier | SocketKinds::ring_stream | every_acceptor;
inline constexpr SocketKinds every_bound_inet = every_inet_dgram | tcp_acceptor;
}  // namespace detail

/// Small segments leave at once (TCP_NODELAY).
using NoDelay = SwitchOption<io::OptionName::no_delay, detail::tcp_stream>;
/// Acknowledgements leave at once (TCP_QUICKACK); the system may turn this option off again.
using QuickAck = SwitchOption<io::OptionName::quick_ack, detail::tcp_stream>;
/// A silent peer is probed (SO_KEEPALIVE).
using KeepAlive = SwitchOption<io::OptionName::keep_alive, detail::tcp_stream>;
/// Only hosts of the directly connected network are reached (SO_DONTROUTE).
using DontRoute = SwitchOption<io::OptionName::dont_route, detail::tcp_stream>;
/// A port can be bound although old connections of the port still linger. Several datagram sockets
/// with this option can use one port; all of them get the datagrams to a group (SO_REUSEADDR).
using ReuseAddress = SwitchOption<io::OptionName::reuse_address, detail::every_bound_inet>;
/// Several acceptors share a port, or several receivers of datagrams (SO_REUSEPORT).
using ReusePort = SwitchOption<io::OptionName::reuse_port, detail::every_bound_inet>;
/// A socket that is bound to an IPv6 address takes no IPv4 connections or datagrams (IPV6_V6ONLY).
using V6Only = SwitchOption<io::OptionName::v6_only, detail::every_bound_inet>;
/// Sizes of the socket queues. The system may double or limit them. Accepted streams inherit them.
using SendBuffer = SizeOption<io::OptionName::send_buffer, detail::every_socket>;
using ReceiveBuffer = SizeOption<io::OptionName::receive_buffer, detail::every_socket>;
/// Longest time that a blocking call without a limit waits (SO_SNDTIMEO, SO_RCVTIMEO). Then it ends
/// with `std::errc::operation_would_block`.
using SendTimeout = TimeOption<io::OptionName::send_timeout, detail::every_carrier>;
using ReceiveTimeout = TimeOption<io::OptionName::receive_timeout, detail::every_carrier>;

/// How routers treat the packets: the class of service (DSCP) of RFC 2474, 0 to 63 (IP_TOS,
/// IPV6_TCLASS).
struct Dscp {
  static constexpr io::OptionName name = io::OptionName::traffic_class;
  static constexpr SocketKinds kinds = detail::tcp_stream;

  std::int64_t code_point = 0;
  [[nodiscard]] constexpr std::int64_t raw() const noexcept { return code_point * 4; }
  [[nodiscard]] static constexpr Dscp from_raw(std::int64_t raw) noexcept { return {raw / 4}; }
};

/// Whether this host also receives its own datagrams to a group that it has joined. On by default.
using McastLoop = SwitchOption<io::OptionName::mcast_loop, SocketKinds::inet_mcast>;

/// The number of routers that a multicast may pass, plus one (IP_MULTICAST_TTL,
/// IPV6_MULTICAST_HOPS). 1, the default, keeps it on the link; at most 255.
struct McastHops {
  static constexpr io::OptionName name = io::OptionName::mcast_hops;
  static constexpr SocketKinds kinds = SocketKinds::inet_mcast;

  std::int64_t hops = 1;
  [[nodiscard]] constexpr std::int64_t raw() const noexcept { return hops; }
  [[nodiscard]] static constexpr McastHops from_raw(std::int64_t raw) noexcept { return {raw}; }
};

/// The interface by which multicasts leave. It can only be set, since the system does not report
/// it.
struct McastInterface {
  static constexpr io::OptionName name = io::OptionName::mcast_interface;
  static constexpr SocketKinds kinds = SocketKinds::inet_mcast;

  Interface interface = Interface::any();
  [[nodiscard]] constexpr std::int64_t raw() const noexcept { return interface.index(); }
};

/// Octets that a pipe holds (F_SETPIPE_SZ), rounded up to a power of two. Both ends share the
/// value.
using PipeCapacity = SizeOption<io::OptionName::pipe_capacity,
                                SocketKinds::pipe_sender | SocketKinds::pipe_receiver>;

/// What closing does with octets that have not been sent yet (SO_LINGER).
struct Linger {
  static constexpr io::OptionName name = io::OptionName::linger;
  static constexpr SocketKinds kinds = detail::tcp_stream;

  /// Negative: the system sends them in the background (the default). Zero: they are dropped, and
  /// the connection is reset. Otherwise closing waits for them for this time.
  std::chrono::seconds time{-1};
  [[nodiscard]] constexpr std::int64_t raw() const noexcept { return time.count(); }
  [[nodiscard]] static constexpr Linger from_raw(std::int64_t raw) noexcept {
    return {std::chrono::seconds(raw)};
  }
};

/// `Option` is an option that `Socket` has.
template <typename Option, typename Socket>
concept OptionOf = requires(const Option& option) {
  { Option::name } -> std::convertible_to<io::OptionName>;
  { option.raw() } -> std::same_as<std::int64_t>;
} && intersect(Option::kinds, Socket::kind);

/// An option of `Socket` whose value can also be read.
template <typename Option, typename Socket>
concept ReadableOptionOf = OptionOf<Option, Socket> && requires(std::int64_t raw) {
  { Option::from_raw(raw) } -> std::same_as<Option>;
};

namespace literals {
/// `ipc::SendBuffer{64_KiB}`
consteval std::int64_t operator""_KiB(unsigned long long count) {
  return static_cast<std::int64_t>(count) * 1024;
}
consteval std::int64_t operator""_MiB(unsigned long long count) {
  return static_cast<std::int64_t>(count) * 1024 * 1024;
}
}  // namespace literals

}  // namespace perigee::ipc
