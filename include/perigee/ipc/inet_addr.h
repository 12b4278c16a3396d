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
    for (std::size_t index = 0; index < 4; ++index) address.octets_[index] = octets[index];
    address.port_ = port;
    return address;
  }
  /// `scope`: the index of the interface of a link-local address, else 0.
  [[nodiscard]] static constexpr InetAddr v6(V6Octets octets, std::uint16_t port,
                                             std::uint32_t scope = 0) noexcept {
    InetAddr address;
    address.version_ = Version::v6;
    address.octets_ = octets;
    address.port_ = port;
    address.scope_ = scope;
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
  /// An address without port: "127.0.0.1" or "::1", no brackets, no zone.
  [[nodiscard]] static constexpr std::optional<InetAddr> parse_host(std::string_view host,
                                                                    std::uint16_t port) noexcept {
    if (const auto octets = parse_ipv4(host)) return v4(*octets, port);
    if (const auto octets = parse_ipv6(host)) return v6(*octets, port);
    return std::nullopt;
  }
  /// "127.0.0.1:2809" or "[::1]:2809"; names are for `resolve`.
  [[nodiscard]] static constexpr std::optional<InetAddr> parse(std::string_view text) noexcept {
    const auto parts = split_host_port(text);
    if (!parts || !parts->port) return std::nullopt;
    return parse_host(parts->host, *parts->port);
  }

  [[nodiscard]] constexpr Version version() const noexcept { return version_; }
  [[nodiscard]] constexpr std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] constexpr std::uint32_t scope() const noexcept { return scope_; }
  /// In network order; an IPv4 address is in the first four, the rest is zero.
  [[nodiscard]] constexpr const V6Octets& octets() const noexcept { return octets_; }

  [[nodiscard]] constexpr InetAddr with_port(std::uint16_t port) const noexcept {
    InetAddr address = *this;
    address.port_ = port;
    return address;
  }
  /// Whether it stands for all interfaces.
  [[nodiscard]] constexpr bool is_any() const noexcept { return octets_ == V6Octets{}; }
  [[nodiscard]] constexpr bool is_loopback() const noexcept {
    if (version_ == Version::v4) return octets_[0] == 127;
    return octets_ == loopback_v6().octets_ || (is_mapped() && octets_[12] == 127);
  }
  [[nodiscard]] constexpr bool is_link_local() const noexcept {
    if (version_ == Version::v4) return octets_[0] == 169 && octets_[1] == 254;
    return octets_[0] == 0xfe && (octets_[1] & 0xc0) == 0x80;
  }
  /// An IPv4 address that a dual-stack socket shows as ::ffff:a.b.c.d.
  [[nodiscard]] constexpr bool is_mapped() const noexcept {
    if (version_ == Version::v4) return false;
    for (std::size_t index = 0; index < 10; ++index) {
      if (octets_[index] != 0) return false;
    }
    return octets_[10] == 0xff && octets_[11] == 0xff;
  }
  /// The plain IPv4 address of a mapped one; any other address as it is.
  [[nodiscard]] constexpr InetAddr unmapped() const noexcept {
    if (!is_mapped()) return *this;
    return v4({octets_[12], octets_[13], octets_[14], octets_[15]}, port_);
  }
  /// The address without port and brackets, in its canonical form (RFC 5952).
  [[nodiscard]] PERIGEE_API std::string host() const;

  friend constexpr auto operator<=>(const InetAddr&, const InetAddr&) = default;

 private:
  Version version_ = Version::v4;
  std::uint16_t port_ = 0;
  std::uint32_t scope_ = 0;
  V6Octets octets_{};
};

/// "127.0.0.1:2809", "[::1]:2809"
PERIGEE_API std::string to_string(const InetAddr& address);

}  // namespace perigee::ipc
