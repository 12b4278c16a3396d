// Finds a perfect hash for the names of an interface's operations: a seed and a table size, for
// which no two names share a slot.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::idlc::cpp11 {

/// The same function as perigee::skeleton::operation_hash, which the compiler does not include
/// because it stands alone. A test compares them.
std::uint32_t operation_hash(std::string_view name, std::uint32_t seed);

struct PerfectHash {
  static constexpr int empty_slot = -1;
  std::uint32_t seed = 0;
  std::vector<int> slots;  ///< a power of two of them: the number of the name in the slot
};

/// The smallest table for which one of the first 65,536 seeds works, and the smallest such seed.
/// The names must differ from each other.
PerfectHash find_perfect_hash(const std::vector<std::string>& names);

}  // namespace perigee::idlc::cpp11
