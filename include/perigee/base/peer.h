// Who is at the other end of a connection, where somebody vouches for it. A value only.
#pragma once

#include <cstdint>

namespace perigee {

/// The process at the other end of a local connection, as the system knows it: it was that process
/// that connected (or that listened), and these were its effective user and group then.
struct PeerIdentity {
  std::int32_t process = 0;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  friend bool operator==(const PeerIdentity&, const PeerIdentity&) = default;
};

}  // namespace perigee
