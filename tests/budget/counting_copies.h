// Counts the octets that memcpy and memmove copy in the process, for all callers.
#pragma once

#include <cstdint>

namespace budget {

/// Octets so far, of all threads. Copies that the compiler inlines are not included; they are small
/// and of a constant size.
std::uint64_t copied_octets() noexcept;

}  // namespace budget
