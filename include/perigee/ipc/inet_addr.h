// Internet addresses with a port, IPv4 or IPv6, as values. The resolver of names is in resolver.h.
#pragma once

#include <perigee/base/export.h>
#include <perigee/ipc/inet_parse.h>

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::ipc {

/// An IP address and a port, always wholly initialised: by default 0.0.0.0:0.
class InetAddr {
 public:
  enum class Version : std::uint8_t { v4 = 4, v6 = 6 };
  using V4Octets = std::array<std::uint8_t, 4>;
  using V6Octets = std::array<std::uint8_t, 16>;

  constexpr InetAddr() noexcept = default;
  [[nodiscard]] static constexpr InetAddr v4(V4Octets octets, std::uint16_t port) noexcept {
    InetAddr address;
    address.v4_ = octets;
    address.set_port(port);
    return address;
  }
  /// `scope`: the index of the interface of a link-local address; otherwise 0.
  [[nodiscard]] static constexpr InetAddr v6(V6Octets octets, std::uint16_t port,
                                             std::uint32_t scope = 0) noexcept {
    InetAddr address;
    address.family_ = family_v6;
    address.v6_ = octets;
    address.scope_ = scope;
    address.set_port(port);
    return address;
  }
  /// All interfaces. Port 0: the system chooses.
  [[nodiscard]] static constexpr InetAddr any(std::uint16_t port = 0) noexcept {
    return v4({0, 0, 0, 0}, port);
  }
  [[nodiscard]] static constexpr InetAddr any_v6(std::uint16_t port = 0) noexcept {
    return v6({}, port);
  }
  [[nodiscard]] static constexpr InetAddr loopback(std::uint16_t port = 0) noexcept {
    return v4({127, 0, 0, 1}, port);
  }
  [[nodiscard]] static constexpr InetAddr loopback_v6(std::uint16_t port = 0) noexcept {
    return v6({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, port);
  }
  /// Parses an address without a port, brackets or a zone: "127.0.0.1" or "::1".
  [[nodiscard]] static constexpr std::optional<InetAddr> parse_host(std::string_view host,
                                                                    std::uint16_t port) noexcept {
    if (const auto octets = parse_ipv4(host)) return v4(*octets, port);
    if (const auto octets = parse_ipv6(host)) return v6(*octets, port);
    return std::nullopt;
  }
  /// "127.0.0.1:2809" or "[::1]:2809". `resolve` looks up names.
  [[nodiscard]] static constexpr std::optional<InetAddr> parse(std::string_view text) noexcept {
    const auto parts = split_host_port(text);
    if (!parts || !parts->port) return std::nullopt;
    return parse_host(parts->host, *parts->port);
  }

  [[nodiscard]] constexpr Version version() const noexcept {
    return family_ == family_v6 ? Version::v6 : Version::v4;
  }
  [[nodiscard]] constexpr std::uint16_t port() const noexcept {
    return static_cast<std::uint16_t>(port_[0] << 8 | port_[1]);
  }
  [[nodiscard]] constexpr std::uint32_t scope() const noexcept { return scope_; }
  /// In network order. An IPv4 address is in the first four octets; the others are zero.
  [[nodiscard]] constexpr V6Octets octets() const noexcept {
    if (version() == Version::v6) return v6_;
    return {v4_[0], v4_[1], v4_[2], v4_[3]};
  }

  [[nodiscard]] constexpr InetAddr with_port(std::uint16_t port) const noexcept {
    InetAddr address = *this;
    address.set_port(port);
    return address;
  }
  /// Whether the address stands for all interfaces.
  [[nodiscard]] constexpr bool is_any() const noexcept {
    return v4_ == V4Octets{} && v6_ == V6Octets{};
  }
  [[nodiscard]] constexpr bool is_loopback() const noexcept {
    if (version() == Version::v4) return v4_[0] == 127;
    return v6_ == loopback_v6().v6_ || (is_mapped() && v6_[12] == 127);
  }
  [[nodiscard]] constexpr bool is_link_local() const noexcept {
    if (version() == Version::v4) return v4_[0] == 169 && v4_[1] == 254;
    return v6_[0] == 0xfe && (v6_[1] & 0xc0) == 0x80;
  }
  [[nodiscard]] constexpr bool is_multicast() const noexcept {
    if (version() == Version::v4) return (v4_[0] & 0xf0) == 0xe0;
    return v6_[0] == 0xff;
  }
  /// Whether this is an IPv4 address in the form that dual-stack sockets report: ::ffff:a.b.c.d.
  [[nodiscard]] constexpr bool is_mapped() const noexcept {
    if (version() == Version::v4) return false;
    for (std::size_t index = 0; index < 10; ++index) {
      if (v6_[index] != 0) return false;
    }
    return v6_[10] == 0xff && v6_[11] == 0xff;
  }
  /// The plain IPv4 address of a mapped address; any other address unchanged.
  [[nodiscard]] constexpr InetAddr unmapped() const noexcept {
    if (!is_mapped()) return *this;
    return v4({v6_[12], v6_[13], v6_[14], v6_[15]}, port());
  }
  /// The address without port and brackets, in its canonical form (RFC 5952).
  [[nodiscard]] PERIGEE_API std::string host() const;

  friend constexpr auto operator<=>(const InetAddr&, const InetAddr&) = default;

  /// @name For system calls: an address has the layout of the system's, and is never converted.
  /// @{
  [[nodiscard]] const void* native() const noexcept { return this; }
  [[nodiscard]] constexpr std::uint32_t native_size() const noexcept {
    return family_ == family_v6 ? sizeof(InetAddr) : native_v4_size;
  }
  /// Room for an address from the system. `accept_native` then says whether it is of this domain.
  [[nodiscard]] void* native_space() noexcept { return this; }
  [[nodiscard]] static constexpr std::uint32_t native_space_size() noexcept {
    return sizeof(InetAddr);
  }
  constexpr bool accept_native(std::uint32_t) noexcept {
    return family_ == family_v4 || family_ == family_v6;
  }
  /// @}

 private:
  // sockaddr_in and sockaddr_in6 begin alike; src/ipc/addresses.cpp checks the whole layout.
  static constexpr std::uint16_t family_v4 = 2;
  static constexpr std::uint16_t family_v6 = 10;
  static constexpr std::uint32_t native_v4_size = 16;

  constexpr void set_port(std::uint16_t port) noexcept {
    port_ = {static_cast<std::uint8_t>(port >> 8), static_cast<std::uint8_t>(port & 0xff)};
  }

  std::uint16_t family_ = family_v4;
  std::array<std::uint8_t, 2> port_{};  // network order
  V4Octets v4_{};                       // IPv6: the flow label, always 0
  V6Octets v6_{};                       // IPv4: 0
  std::uint32_t scope_ = 0;
};

/// "127.0.0.1:2809", "[::1]:2809"
PERIGEE_API std::string to_string(const InetAddr& address);

}  // namespace perigee::ipc
