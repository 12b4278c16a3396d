// The identity of the process at the other end of a connection, if the system vouches for it. A
// value only.
#pragma once

#include <cstdint>

namespace perigee {

/// The process at the other end of a local connection, as the system knows it: the process that
/// connected or listened. `user` and `group` are its effective user and group at that time.
struct PeerIdentity {
  std::int32_t process = 0;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  friend bool operator==(const PeerIdentity&, const PeerIdentity&) = default;
};

}  // namespace perigee
