// Addresses to text, and to and from the form of the system calls.
#include "ipc/native_address.h"

#include <arpa/inet.h>

#include <cstddef>
#include <cstring>

namespace perigee::ipc {

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

NativeAddress::NativeAddress(const InetAddr& address) noexcept {
  if (address.version() == InetAddr::Version::v4) {
    storage_.v4 = {};
    storage_.v4.sin_family = AF_INET;
    storage_.v4.sin_port = htons(address.port());
    std::memcpy(&storage_.v4.sin_addr, address.octets().data(), 4);
    size_ = sizeof(sockaddr_in);
  } else {
    storage_.v6 = {};
    storage_.v6.sin6_family = AF_INET6;
    storage_.v6.sin6_port = htons(address.port());
    storage_.v6.sin6_scope_id = address.scope();
    std::memcpy(&storage_.v6.sin6_addr, address.octets().data(), 16);
    size_ = sizeof(sockaddr_in6);
  }
}

NativeAddress::NativeAddress(const UnixAddr& address) noexcept {
  static_assert(sizeof(sockaddr_un::sun_path) > UnixAddr::name_size_max);
  storage_.local = {};
  storage_.local.sun_family = AF_UNIX;
  const auto name = address.name();
  // A path ends with its NUL; an abstract name begins with one, and its size is exact.
  const std::size_t offset = address.kind() == UnixAddr::Kind::abstract ? 1 : 0;
  std::memcpy(storage_.local.sun_path + offset, name.data(), name.size());
  const std::size_t path_size = address.kind() == UnixAddr::Kind::unnamed ? 0 : name.size() + 1;
  size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_size);
}

bool NativeAddress::get(InetAddr& address) const noexcept {
  if (storage_.any.sa_family == AF_INET) {
    address = from_native(storage_.v4);
  } else if (storage_.any.sa_family == AF_INET6) {
    address = from_native(storage_.v6);
  } else {
    return false;
  }
  return true;
}

bool NativeAddress::get(UnixAddr& address) const noexcept {
  if (storage_.any.sa_family != AF_UNIX) return false;
  constexpr std::size_t header_size = offsetof(sockaddr_un, sun_path);
  address = UnixAddr{};
  if (size_ <= header_size) return true;
  const std::string_view raw(
      storage_.local.sun_path,
      std::min<std::size_t>(size_ - header_size, sizeof(storage_.local.sun_path)));
  const auto named = raw.front() == '\0' ? UnixAddr::abstract(raw.substr(1))
                                         : UnixAddr::path(raw.substr(0, raw.find('\0')));
  if (named) address = *named;
  return true;
}

std::string InetAddr::host() const {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(version_ == Version::v4 ? AF_INET : AF_INET6, octets_.data(), text, sizeof(text));
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
