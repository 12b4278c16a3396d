// Turns addresses into text, and checks that they have the layout of the system's addresses.
#include "ipc/native_address.h"

#include <arpa/inet.h>

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace perigee::ipc {

namespace {

// InetAddr and UnixAddr have the fields of sockaddr_in, sockaddr_in6 and sockaddr_un at the same
// offsets.

using Image = std::array<std::uint8_t, sizeof(InetAddr)>;

constexpr bool holds(const Image& image, std::size_t offset, std::uint8_t first, std::uint8_t last,
                     std::size_t size) {
  return image[offset] == first && image[offset + size - 1] == last;
}
constexpr bool has_family(const Image& image, sa_family_t family) {
  const auto octets = std::bit_cast<std::array<std::uint8_t, sizeof(family)>>(family);
  return image[0] == octets[0] && image[1] == octets[1];
}

constexpr auto v4_image = std::bit_cast<Image>(InetAddr::v4({1, 2, 3, 4}, 0x1122));
static_assert(offsetof(sockaddr_in, sin_family) == 0 && has_family(v4_image, AF_INET));
static_assert(holds(v4_image, offsetof(sockaddr_in, sin_port), 0x11, 0x22, 2));
static_assert(holds(v4_image, offsetof(sockaddr_in, sin_addr), 1, 4, 4));
static_assert(InetAddr::any().native_size() == sizeof(sockaddr_in));

constexpr auto v6_image = std::bit_cast<Image>(
    InetAddr::v6({5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6}, 0x1122, 0x07000007));
static_assert(offsetof(sockaddr_in6, sin6_family) == 0 && has_family(v6_image, AF_INET6));
static_assert(holds(v6_image, offsetof(sockaddr_in6, sin6_port), 0x11, 0x22, 2));
static_assert(holds(v6_image, offsetof(sockaddr_in6, sin6_flowinfo), 0, 0, 4));
static_assert(holds(v6_image, offsetof(sockaddr_in6, sin6_addr), 5, 6, 16));
static_assert(holds(v6_image, offsetof(sockaddr_in6, sin6_scope_id), 7, 7, 4));
static_assert(InetAddr::any_v6().native_size() == sizeof(sockaddr_in6));

constexpr auto local_image =
    std::bit_cast<std::array<char, sizeof(UnixAddr)>>(*UnixAddr::path("a"));
static_assert(offsetof(sockaddr_un, sun_family) == 0 && local_image[0] + local_image[1] == AF_UNIX);
static_assert(local_image[offsetof(sockaddr_un, sun_path)] == 'a');
static_assert(UnixAddr::native_space_size() == sizeof(sockaddr_un));
static_assert(std::is_standard_layout_v<InetAddr> && std::is_standard_layout_v<UnixAddr>);

}  // namespace

InetAddr from_native(const sockaddr_in& native) noexcept {
  InetAddr::V4Octets octets;
  std::memcpy(octets.data(), &native.sin_addr, octets.size());
  return InetAddr::v4(octets, ntohs(native.sin_port));
}

InetAddr from_native(const sockaddr_in6& native) noexcept {
  InetAddr::V6Octets octets;
  std::memcpy(octets.data(), &native.sin6_addr, octets.size());
  return InetAddr::v6(octets, ntohs(native.sin6_port), native.sin6_scope_id);
}

std::string InetAddr::host() const {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(version() == Version::v4 ? AF_INET : AF_INET6, octets().data(), text, sizeof(text));
  return text;
}

std::string to_string(const InetAddr& address) {
  const auto port = std::to_string(address.port());
  if (address.version() == InetAddr::Version::v4) return address.host() + ":" + port;
  return "[" + address.host() + "]:" + port;
}

std::string to_string(const UnixAddr& address) {
  const std::string name(address.name());
  return address.kind() == UnixAddr::Kind::abstract ? "@" + name : name;
}

}  // namespace perigee::ipc
