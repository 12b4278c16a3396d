// Counts every heap allocation of the process by malloc and its relatives, also those of operator
// new.
#pragma once

#include <cstdint>

namespace budget {

/// Allocations so far, by any thread.
std::uint64_t allocations() noexcept;

}  // namespace budget
