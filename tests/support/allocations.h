// Counts this program's uses of operator new. Link support/allocations.cpp, which replaces it.
#pragma once

#include <cstddef>

namespace perigee::test {

/// What the calling thread has asked of operator new.
struct Allocations {
  std::size_t count = 0;
  std::size_t octets = 0;
};

/// Since the thread began. Take it twice and subtract. Does not see malloc and realloc.
[[nodiscard]] Allocations allocations() noexcept;

/// What `work` allocates on this thread.
template <typename Work>
[[nodiscard]] Allocations allocations_of(Work&& work) {
  const Allocations before = allocations();
  work();
  const Allocations after = allocations();
  return {after.count - before.count, after.octets - before.octets};
}

}  // namespace perigee::test
