// In which order a client tries the addresses of a reference, and which it leaves out.
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
  other_host,  ///< what is at the same address here is somebody else's
  excluded,    ///< its protocol is not to be used
};

/// One address, and what becomes of it.
struct AddressChoice {
  std::size_t profile;           ///< whose it is: the index
  const ProfileEndpoint* place;  ///< in that profile
  AddressUse use;
};

/// The rank of the protocol that has a scheme, the lower the better; nothing if it is not to be
/// used.
using SchemeRank = std::function<std::optional<std::size_t>(const std::string& scheme)>;

/// Those that are tried, in the order of their ranks, then the nearest first, and among equals as
/// the server has them; then those that are left out. The choices point into `profiles`. Without
/// `rank` all protocols are alike.
[[nodiscard]] PERIGEE_API std::vector<AddressChoice> choose_addresses(
    std::span<const ProfileTarget> profiles, const SchemeRank& rank = {});

}  // namespace perigee::transport
