// Searches by trial: an interface has few operations, and compile time is available.
#include "idlc/backends/cpp11/perfect_hash.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace perigee::idlc::cpp11 {

namespace {

constexpr std::uint32_t seed_count = 65536;

// `filled_by` has the last seed that filled each slot. So the table need not be cleared for each
// seed.
struct Trial {
  std::vector<std::uint32_t> filled_by;

  explicit Trial(std::size_t size) : filled_by(size, seed_count) {}

  bool is_perfect(const std::vector<std::string>& names, std::uint32_t seed) {
    for (const std::string& name : names) {
      std::uint32_t& slot = filled_by[operation_hash(name, seed) & (filled_by.size() - 1)];
      if (slot == seed) return false;
      slot = seed;
    }
    return true;
  }
};

PerfectHash filled(const std::vector<std::string>& names, std::uint32_t seed, std::size_t size) {
  PerfectHash result{seed, std::vector<int>(size, PerfectHash::empty_slot)};
  for (std::size_t index = 0; index < names.size(); ++index)
    result.slots[operation_hash(names[index], seed) & (size - 1)] = static_cast<int>(index);
  return result;
}

}  // namespace

std::uint32_t operation_hash(std::string_view name, std::uint32_t seed) {
  std::uint32_t hash = 2166136261u ^ seed;
  for (const char character : name) {
    hash ^= static_cast<std::uint8_t>(character);
    hash *= 16777619u;
  }
  return hash ^ (hash >> 15);
}

void require_distinct(std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end())
    throw std::logic_error("perigee-idl: two operations have the name '" + *twice + "'");
}

std::vector<int> open_hash_slots(const std::vector<std::string>& names) {
  std::vector<int> slots(std::bit_ceil(2 * names.size()), PerfectHash::empty_slot);
  for (std::size_t index = 0; index < names.size(); ++index) {
    std::size_t at = operation_hash(names[index], 0) & (slots.size() - 1);
    while (slots[at] != PerfectHash::empty_slot) at = (at + 1) & (slots.size() - 1);
    slots[at] = static_cast<int>(index);
  }
  return slots;
}

PerfectHash find_perfect_hash(const std::vector<std::string>& names) {
  require_distinct(names);
  for (std::size_t size = std::bit_ceil(names.size());; size *= 2) {
    Trial trial(size);
    for (std::uint32_t seed = 0; seed < seed_count; ++seed)
      if (trial.is_perfect(names, seed)) return filled(names, seed, size);
  }
}

}  // namespace perigee::idlc::cpp11
