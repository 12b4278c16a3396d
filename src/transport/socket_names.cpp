// Asks the system for the names of a socket.
#include "transport/socket_names.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace perigee::transport {

namespace {

IpName ipv4_name(std::span<const std::byte> address, std::uint16_t port) noexcept {
  IpName name{.port = ntohs(port)};
  std::ranges::copy(address, name.address.begin());
  return name;
}

std::optional<IpName> ip_name(const sockaddr_storage& storage) noexcept {
  if (storage.ss_family == AF_INET) {
    sockaddr_in address{};
    std::memcpy(&address, &storage, sizeof address);
    return ipv4_name(std::as_bytes(std::span(&address.sin_addr, 1)), address.sin_port);
  }
  if (storage.ss_family != AF_INET6) return std::nullopt;
  sockaddr_in6 address{};
  std::memcpy(&address, &storage, sizeof address);
  const auto octets = std::as_bytes(std::span(&address.sin6_addr, 1));
  if (IN6_IS_ADDR_V4MAPPED(&address.sin6_addr))
    return ipv4_name(octets.last(sizeof(in_addr)), address.sin6_port);
  IpName name{.is_ipv6 = true, .port = ntohs(address.sin6_port)};
  std::ranges::copy(octets, name.address.begin());
  return name;
}

using AskSystem = int (*)(int fd, sockaddr* address, socklen_t* size) noexcept;

std::optional<IpName> ip_name(int fd, AskSystem ask) noexcept {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (ask(fd, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return std::nullopt;
  return ip_name(storage);
}

}  // namespace

std::optional<SocketNames> socket_names(int fd) noexcept {
  const auto own = ip_name(fd, ::getsockname);
  const auto peer = ip_name(fd, ::getpeername);
  if (!own || !peer || own->is_ipv6 != peer->is_ipv6) return std::nullopt;
  return SocketNames{*own, *peer};
}

}  // namespace perigee::transport
