// A random number for the identity of a store.
#pragma once

#include <cstdint>
#include <random>

namespace perigee::naming {

/// Two stores practically never get the same number. Throws std::runtime_error if the system has no
/// random numbers.
[[nodiscard]] inline std::uint64_t random_identity() {
  std::random_device random;
  return std::uint64_t{random()} << 32U | random();
}

}  // namespace perigee::naming
