// Averages in floating point: neither long times nor large counts overflow.
#include "engine/memory/pace.h"

namespace perigee::engine {
namespace {

double seconds(Duration duration) noexcept {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

bool Pace::is_too_slow(TimePoint now, std::uint64_t octets,
                       const PaceLimits& limits) const noexcept {
  if (!active_ || limits.octets_per_second == 0) return false;
  const Duration elapsed = now - begun_;
  if (elapsed <= limits.grace) return false;
  const double wanted = static_cast<double>(limits.octets_per_second) * seconds(elapsed);
  return static_cast<double>(octets - octets_) < wanted;
}

Duration Pace::expected(TimePoint now, std::uint64_t octets, std::uint64_t left) const noexcept {
  if (left == 0) return Duration::zero();
  const auto passed = static_cast<double>(octets - octets_);
  if (passed <= 0) return Duration::max();
  const double wanted = seconds(now - begun_) * static_cast<double>(left) / passed;
  constexpr double longest = 1e9;  // seconds; a longer time might not fit a Duration
  if (wanted >= longest) return Duration::max();
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(wanted));
}

}  // namespace perigee::engine
