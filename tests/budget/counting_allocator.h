// Counts every heap allocation of the process: malloc and its relatives, so operator new as well.
#pragma once

#include <cstdint>

namespace budget {

/// Allocations so far, by any thread.
std::uint64_t allocations() noexcept;

}  // namespace budget
