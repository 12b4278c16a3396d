// Sizes in the tests of memory.
#pragma once

#include <cstddef>

namespace perigee::engine::test {

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;

}  // namespace perigee::engine::test
