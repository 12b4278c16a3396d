// Finds a perfect hash for the names of an interface's operations: a seed and a table size with
// which all names get different slots. Also fills a hash table in which names may collide.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perigee::idlc::cpp11 {

/// The same function as perigee::skeleton::operation_hash. perigee-idl does not include the header
/// of that function, because it shares no code with the ORB. A test compares both functions.
std::uint32_t operation_hash(std::string_view name, std::uint32_t seed);

struct PerfectHash {
  static constexpr int empty_slot = -1;
  std::uint32_t seed = 0;
  std::vector<int> slots;  ///< the number of the name in each slot; the size is a power of two
};

/// Throws std::logic_error if two names are equal. This is a mistake in the compiler: the front end
/// and `imply` refuse such interfaces. No perfect hash of equal names exists.
void require_distinct(std::vector<std::string> names);

/// The slots of a hash table with open addressing, as `PerfectHash::slots`: a name is in the first
/// free slot from `operation_hash(name, 0)` on. At most half of the slots are in use.
std::vector<int> open_hash_slots(const std::vector<std::string>& names);

/// The smallest table for which one of the first 65,536 seeds works, and the smallest such seed.
/// Requires distinct names.
PerfectHash find_perfect_hash(const std::vector<std::string>& names);

}  // namespace perigee::idlc::cpp11
