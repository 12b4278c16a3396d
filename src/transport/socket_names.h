// The IP addresses of a connected socket. Private to transport.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace perigee::transport {

/// An IP address in network byte order, and a port.
struct IpName {
  bool is_ipv6 = false;
  std::array<std::byte, 16> address{};  ///< IPv4: the first four octets, then zeros
  std::uint16_t port = 0;

  friend auto operator<=>(const IpName&, const IpName&) = default;
};

/// The names of both ends of one connection. Both are IPv4, or both are IPv6.
struct SocketNames {
  IpName own;
  IpName peer;
};

/// std::nullopt if `fd` is not a connected IP socket. IPv4-mapped IPv6 addresses become IPv4
/// addresses.
[[nodiscard]] std::optional<SocketNames> socket_names(int fd) noexcept;

}  // namespace perigee::transport
