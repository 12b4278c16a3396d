// The compiler's search for perfect hashes.
#include "idlc/backends/cpp11/perfect_hash.h"
#include <perigee/poa/skeleton.h>

#include <doctest/doctest.h>

#include <bit>
#include <stdexcept>

namespace perigee::idlc::cpp11 {

namespace {

/// `count` names that look like operations.
std::vector<std::string> operation_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t index = 0; index < count; ++index)
    names.push_back((index % 3 == 0 ? "_get_value" : "operation") + std::to_string(index * 7919));
  return names;
}

}  // namespace

TEST_CASE("the compiler and the skeletons use the same hash") {
  for (const std::string& name : operation_names(50))
    for (const std::uint32_t seed : {0u, 1u, 77u, 65535u})
      CHECK(operation_hash(name, seed) == skeleton::operation_hash(name, seed));
}

TEST_CASE("each name has its own slot in a table whose size is a power of two") {
  for (const std::size_t count : {1u, 2u, 6u, 17u, 64u, 200u}) {
    CAPTURE(count);
    const std::vector<std::string> names = operation_names(count);
    const PerfectHash hash = find_perfect_hash(names);
    REQUIRE(std::has_single_bit(hash.slots.size()));
    for (std::size_t index = 0; index < count; ++index) {
      const std::size_t slot = operation_hash(names[index], hash.seed) & (hash.slots.size() - 1);
      CHECK(hash.slots[slot] == static_cast<int>(index));
    }
  }
}

TEST_CASE("equal names are refused, without an endless search") {
  CHECK_THROWS_AS(find_perfect_hash({"f", "_get_x", "g", "_get_x"}), std::logic_error);
}

TEST_CASE("the table of a small interface has at most two slots per operation") {
  CHECK(find_perfect_hash(operation_names(6)).slots.size() == 8);
  CHECK(find_perfect_hash(operation_names(8)).slots.size() <= 16);
}

TEST_CASE("a table with open addressing has each name where the skeleton looks for it") {
  for (const std::size_t count : {1u, 6u, 8u, 200u, 1000u}) {
    CAPTURE(count);
    const std::vector<std::string> names = operation_names(count);
    const std::vector<int> slots = open_hash_slots(names);
    REQUIRE(std::has_single_bit(slots.size()));
    CHECK(slots.size() >= 2 * count);
    for (std::size_t index = 0; index < count; ++index) {
      std::size_t at = operation_hash(names[index], 0) & (slots.size() - 1);
      while (slots[at] != static_cast<int>(index) && slots[at] != PerfectHash::empty_slot)
        at = (at + 1) & (slots.size() - 1);
      CHECK(slots[at] == static_cast<int>(index));
    }
  }
}

TEST_CASE("linear and hashed tables find their names, and no other names") {
  constexpr skeleton::OperationSlot linear[] = {{"b", 0}, {"c", 1}, {"_get_a", 2}};
  skeleton::OperationSlot hashed[8];
  for (skeleton::OperationSlot& slot : hashed) slot = {"", skeleton::unknown_operation};
  const std::vector<int> slots = open_hash_slots({"b", "c", "_get_a"});
  REQUIRE(slots.size() == 8);
  for (std::size_t at = 0; at < 8; ++at)
    if (slots[at] != PerfectHash::empty_slot)
      hashed[at] = linear[static_cast<std::size_t>(slots[at])];
  for (const skeleton::OperationSlot& slot : linear) {
    CHECK(skeleton::find_linear_operation(linear, slot.name) == slot.index);
    CHECK(skeleton::find_hashed_operation(hashed, slot.name) == slot.index);
  }
  for (const char* name : {"", "a", "bb", "d"}) {
    CHECK(skeleton::find_linear_operation(linear, name) == skeleton::unknown_operation);
    CHECK(skeleton::find_hashed_operation(hashed, name) == skeleton::unknown_operation);
  }
}

TEST_CASE("skeletons of very many operations use a sorted table") {
  constexpr skeleton::OperationSlot slots[] = {{"_get_a", 2}, {"b", 0}, {"c", 1}};
  for (const skeleton::OperationSlot& slot : slots)
    CHECK(skeleton::find_sorted_operation(slots, slot.name) == slot.index);
  for (const char* name : {"", "a", "bb", "d"})
    CHECK(skeleton::find_sorted_operation(slots, name) == skeleton::unknown_operation);
}

}  // namespace perigee::idlc::cpp11
