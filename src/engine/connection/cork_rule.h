// When held replies have to leave before an upcall.
#pragma once

#include <perigee/base/clock.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace perigee::engine {

/// Replies to requests that were received together are held back in the outgoing queue, and leave
/// in one send. They do not wait for upcalls that take long. Used by one thread at a time.
class CorkRule {
 public:
  static constexpr std::size_t message_size_max = std::size_t{8} * 1024;  ///< of a held reply
  static constexpr std::size_t octets_max = std::size_t{64} * 1024;       ///< of all held replies
  static constexpr std::chrono::microseconds long_upcall{100};
  /// After a long upcall, held replies leave before each of this many upcalls.
  static constexpr std::uint32_t uncorked_upcalls = 64;

  void begin_turn() noexcept { upcall_began_ = {}; }
  /// Called before an upcall, only if requests were received together. True: the held replies have
  /// to leave before the upcall.
  [[nodiscard]] bool must_uncork(TimePoint now) noexcept {
    const TimePoint before = std::exchange(upcall_began_, now);
    if (before != TimePoint() && now - before > long_upcall)
      uncorked_left_ = uncorked_upcalls;
    else if (uncorked_left_ > 0)
      --uncorked_left_;
    return uncorked_left_ > 0;
  }

 private:
  std::uint32_t uncorked_left_ = 0;
  TimePoint upcall_began_;  // TimePoint(): no upcall of this turn has begun
};

}  // namespace perigee::engine
