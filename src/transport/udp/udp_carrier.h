// The scheme of UDP endpoints, and the properties of UDP as a carrier of messages. Private to
// transport/udp.
#pragma once

#include <perigee/ipc/inet_addr.h>
#include <perigee/messaging/carrier.h>

#include <cstdint>
#include <string_view>

namespace perigee::transport {

inline constexpr std::string_view diop_scheme = "diop";

/// The largest size of a datagram in octets, without the headers of IP and UDP.
inline constexpr std::uint32_t datagram_max_v4 = 65'507;
inline constexpr std::uint32_t datagram_max_v6 = 65'487;  ///< with room for extension headers

[[nodiscard]] constexpr messaging::Carrier udp_carrier(ipc::InetAddr::Version version) noexcept {
  const bool is_v4 = version == ipc::InetAddr::Version::v4;
  return {.shape = messaging::Shape::datagrams,
          .reliable = false,
          .ordered = false,
          .datagram_max = is_v4 ? datagram_max_v4 : datagram_max_v6};
}

}  // namespace perigee::transport
