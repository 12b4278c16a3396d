// Converts times to types of the system. If time_t has 32 bits, a longer time becomes the longest
// time that fits.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <limits>

namespace perigee::ipc {

inline std::time_t to_seconds(std::int64_t seconds) noexcept {
  constexpr std::int64_t longest = std::numeric_limits<std::time_t>::max();
  return static_cast<std::time_t>(std::min(seconds, longest));
}

inline timespec to_timespec(std::chrono::nanoseconds time) noexcept {
  constexpr std::int64_t second = 1'000'000'000;
  return {to_seconds(time.count() / second), static_cast<long>(time.count() % second)};
}

}  // namespace perigee::ipc
