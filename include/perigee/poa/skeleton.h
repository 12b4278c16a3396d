// Dispatching, for generated skeletons (…S.cpp). Not for applications.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/operators.h>
#include <perigee/orb/server_request.h>
#include <perigee/orb/stub.h>
#include <perigee/poa/servant.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perigee::skeleton {

/// The hash for which the IDL compiler searches a seed without collisions.
/// FNV-1a over the octets, started from `seed`, then folded: hash ^ (hash >> 15).
[[nodiscard]] constexpr std::uint32_t operation_hash(std::string_view name,
                                                     std::uint32_t seed) noexcept {
  std::uint32_t hash = 2166136261u ^ seed;
  for (const char character : name) {
    hash ^= static_cast<std::uint8_t>(character);
    hash *= 16777619u;
  }
  return hash ^ (hash >> 15);
}

/// One slot of a perfect hash table: an operation's name, and its number in the generated switch.
struct OperationSlot {
  std::string_view name;
  std::uint16_t index = 0;
};

/// The number of the operation in the generated switch, or `unknown_operation`. `slots` is a
/// perfect hash table; `Count` is a power of two.
inline constexpr std::uint16_t unknown_operation = 0xffff;
template <std::size_t Count>
[[nodiscard]] std::uint16_t find_operation(const OperationSlot (&slots)[Count], std::uint32_t seed,
                                           std::string_view name) noexcept {
  const OperationSlot& slot = slots[operation_hash(name, seed) & (Count - 1)];
  return stub::same(slot.name, name) ? slot.index : unknown_operation;
}

/// The same for very large interfaces, whose perfect hash table would be huge. `slots` are sorted
/// by name.
[[nodiscard]] inline std::uint16_t find_sorted_operation(const OperationSlot* slots,
                                                         std::size_t count,
                                                         std::string_view name) noexcept {
  while (count != 0) {
    const std::size_t middle = count / 2;
    const int order = name.compare(slots[middle].name);
    if (order == 0) return slots[middle].index;
    if (order > 0) {
      slots += middle + 1;
      count -= middle + 1;
    } else {
      count = middle;
    }
  }
  return unknown_operation;
}
template <std::size_t Count>
[[nodiscard]] std::uint16_t find_sorted_operation(const OperationSlot (&slots)[Count],
                                                  std::string_view name) noexcept {
  return find_sorted_operation(slots, Count, name);
}

/// @name For the experiment `perigee bench demux` only (perigee-idl --demux)
/// @{
/// Compares the names one after the other.
template <std::size_t Count>
[[nodiscard]] std::uint16_t find_linear_operation(const OperationSlot (&slots)[Count],
                                                  std::string_view name) noexcept {
  for (const OperationSlot& slot : slots)
    if (stub::same(slot.name, name)) return slot.index;
  return unknown_operation;
}

/// `slots` is a hash table with open addressing: each name was put into the first free slot,
/// searched from slot `operation_hash(name, 0)` on. `Count` is a power of two. At least one slot is
/// free.
template <std::size_t Count>
[[nodiscard]] std::uint16_t find_hashed_operation(const OperationSlot (&slots)[Count],
                                                  std::string_view name) noexcept {
  for (std::size_t at = operation_hash(name, 0);; ++at) {
    const OperationSlot& slot = slots[at & (Count - 1)];
    if (slot.index == unknown_operation || stub::same(slot.name, name)) return slot.index;
  }
}
/// @}

/// @name Reply to the operations that every object has (`_is_a`, `_non_existent`, `_repository_id`,
/// `_interface`, `_component`). The table of operations of each interface contains them.
/// @{
PERIGEE_API void is_a(PortableServer::Servant& servant, orb::ServerRequest& request);
PERIGEE_API void non_existent(PortableServer::Servant& servant, orb::ServerRequest& request);
PERIGEE_API void repository_id(PortableServer::Servant& servant, orb::ServerRequest& request);
PERIGEE_API void interface(PortableServer::Servant& servant, orb::ServerRequest& request);
PERIGEE_API void component(PortableServer::Servant& servant, orb::ServerRequest& request);
/// @}
/// Raises BAD_OPERATION, OMG minor 2.
[[noreturn]] PERIGEE_API void unknown(const orb::ServerRequest& request);

}  // namespace perigee::skeleton
