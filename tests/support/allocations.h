// Counts this program's uses of operator new, and lets chosen uses fail. Link
// support/allocations.cpp, which replaces operator new.
#pragma once

#include "base/sanitizer.h"

#include <cstddef>

namespace perigee::test {

/// Whether pools keep memory (perigee/base/pool.h). In the build with the address sanitizer each
/// block of a pool is allocated.
inline constexpr bool pools_in_use = !under_address_sanitizer;

/// What the calling thread has asked of operator new.
struct Allocations {
  std::size_t count = 0;
  std::size_t octets = 0;
  std::size_t freed = 0;  ///< uses of operator delete
};

/// The allocations since the thread began. Take it twice and subtract. Does not see malloc and
/// realloc.
[[nodiscard]] Allocations allocations() noexcept;

/// Makes uses of operator new by the calling thread throw bad_alloc: the `number`-th use from now
/// on (1: the next use), and further uses up to `count` in all. Not for builds with the thread
/// sanitizer, whose operator new cannot be replaced.
void fail_allocation(std::size_t number, std::size_t count = 1) noexcept;
/// Ends the failures. True if a use has failed since `fail_allocation`.
bool stop_failing_allocation() noexcept;

/// What `work` allocates on this thread.
template <typename Work>
[[nodiscard]] Allocations allocations_of(Work&& work) {
  const Allocations before = allocations();
  work();
  const Allocations after = allocations();
  return {after.count - before.count, after.octets - before.octets, after.freed - before.freed};
}

}  // namespace perigee::test
