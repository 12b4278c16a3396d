// The memory of decoded values, for targets that compare it with the budget of the decoder.
#pragma once

#if __has_feature(address_sanitizer)
#include <sanitizer/allocator_interface.h>
#endif

#include <cstddef>

namespace perigee::fuzz {

/// Octets on the heap. Only the address sanitizer counts them: other builds check nothing.
inline std::size_t allocated() {
#if __has_feature(address_sanitizer)
  return __sanitizer_get_current_allocated_bytes();
#else
  return 0;
#endif
}

/// The most memory that the decoder does not charge to the budget: the first 256 KiB of each
/// message, and at most 64 KiB for small values.
inline constexpr std::size_t uncharged_max = 256 * 1024 + 64 * 1024;

}  // namespace perigee::fuzz
