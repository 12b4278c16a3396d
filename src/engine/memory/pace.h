// Finds transfers that are so slow that their connections are closed.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/base/export.h>

#include <chrono>
#include <cstdint>

namespace perigee::engine {

/// The slowest transfer that an ORB accepts.
struct PaceLimits {
  std::uint64_t octets_per_second = 1024;     ///< on average since the transfer began; 0: no limit
  Duration grace = std::chrono::seconds(10);  ///< until this age, no transfer is too slow
};

/// The pace of one transfer: a message that arrives, or output that the peer must take. The average
/// since the beginning counts, so an octet now and then does not make a transfer fast enough. Used
/// by one thread at a time.
class PERIGEE_API Pace {
 public:
  /// A transfer begins. `octets`, here and below: the present value of a count of transferred
  /// octets. The count only grows, and need not begin at 0.
  void begin(TimePoint now, std::uint64_t octets) noexcept {
    begun_ = now;
    octets_ = octets;
    active_ = true;
  }
  void end() noexcept { active_ = false; }
  /// Excludes `pause` from the time: this side has held the transfer up.
  void postpone(Duration pause) noexcept { begun_ += pause; }
  [[nodiscard]] bool active() const noexcept { return active_; }
  [[nodiscard]] TimePoint begun() const noexcept { return begun_; }

  /// Whether the average from the beginning until now is below the limit, after the grace.
  [[nodiscard]] bool is_too_slow(TimePoint now, std::uint64_t octets,
                                 const PaceLimits& limits) const noexcept;
  /// How long `left` octets will take at this pace; Duration::max() if no octet has passed.
  [[nodiscard]] Duration expected(TimePoint now, std::uint64_t octets,
                                  std::uint64_t left) const noexcept;

 private:
  TimePoint begun_;
  std::uint64_t octets_ = 0;
  bool active_ = false;
};

}  // namespace perigee::engine
