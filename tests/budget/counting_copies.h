// Counts the octets that memcpy and memmove copy in the process, whoever calls them.
#pragma once

#include <cstdint>

namespace budget {

/// Octets so far, by any thread. Copies that the compiler makes without a call are not in it: they
/// are of a size that it knows, and small.
std::uint64_t copied_octets() noexcept;

}  // namespace budget
