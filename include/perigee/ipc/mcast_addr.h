// Addresses of multicast groups, as values. They cannot be confused with unicast addresses.
#pragma once

#include <perigee/ipc/inet_addr.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::ipc {

/// An IPv4 or IPv6 multicast group and a port. There is no default group.
class McastAddr {
 public:
  /// std::nullopt if `address` is not a multicast address.
  [[nodiscard]] static constexpr std::optional<McastAddr> of(const InetAddr& address) noexcept {
    if (!address.is_multicast()) return std::nullopt;
    return McastAddr(address);
  }
  /// "239.1.2.3:5000" or "[ff02::123]:5000".
  [[nodiscard]] static constexpr std::optional<McastAddr> parse(std::string_view text) noexcept {
    const auto address = InetAddr::parse(text);
    if (!address) return std::nullopt;
    return of(*address);
  }

  [[nodiscard]] constexpr const InetAddr& inet() const noexcept { return address_; }
  [[nodiscard]] constexpr std::uint16_t port() const noexcept { return address_.port(); }
  friend constexpr auto operator<=>(const McastAddr&, const McastAddr&) = default;

 private:
  constexpr explicit McastAddr(const InetAddr& address) noexcept : address_(address) {}
  InetAddr address_;
};

inline std::string to_string(const McastAddr& address) { return to_string(address.inet()); }

}  // namespace perigee::ipc
