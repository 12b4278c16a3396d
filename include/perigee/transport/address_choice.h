// The order in which a client tries the addresses of a reference, and the addresses that it leaves
// out.
#pragma once

#include <perigee/base/export.h>
#include <perigee/transport/transport.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace perigee::transport {

enum class AddressUse : std::uint8_t {
  tried,
  other_host,  ///< only programs on another host can use the address
  excluded,    ///< its protocol must not be used
  /// The address leads through a network without protection, while another address that is tried
  /// protects messages. If the client also tried this address, an attacker could get the call by
  /// making the TLS handshake fail.
  unprotected,
};

/// One address, and how it is used.
struct AddressChoice {
  std::size_t profile;           ///< the index of its profile
  const ProfileEndpoint* place;  ///< in that profile
  AddressUse use;
};

/// The rank of the protocol with this scheme; lower ranks are better. std::nullopt if the protocol
/// must not be used.
using SchemeRank = std::function<std::optional<std::size_t>(const std::string& scheme)>;

/// Gives the addresses that are tried, then the addresses that are left out. The tried addresses
/// are ordered by rank, then by distance (nearest first), then as in the reference. The choices
/// point into `profiles`. Without `rank`, all protocols have the same rank.
[[nodiscard]] PERIGEE_API std::vector<AddressChoice> choose_addresses(
    std::span<const ProfileTarget> profiles, const SchemeRank& rank = {});

}  // namespace perigee::transport
