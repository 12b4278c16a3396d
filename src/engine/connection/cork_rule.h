// Decides whether the held replies of a connection are sent before an upcall begins.
#pragma once

#include <perigee/base/clock.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace perigee::engine {

/// Replies to requests that were received together are held in the outgoing queue. They leave in
/// one send at the end of the batch. After a long upcall, held replies leave before each of the
/// next upcalls instead: these may take long, too. A CorkRule is used by one thread at a time.
class CorkRule {
 public:
  static constexpr std::size_t message_size_max = std::size_t{8} * 1024;  ///< limit of a held reply
  static constexpr std::size_t octets_max = std::size_t{64} * 1024;  ///< limit of all held replies
  /// An upcall is long if more than this time passes until the next upcall of the turn begins.
  static constexpr std::chrono::microseconds long_upcall{100};
  /// After a long upcall, held replies leave before each of the next upcalls, up to this number.
  static constexpr std::uint32_t uncorked_upcalls = 64;

  void begin_turn() noexcept { upcall_began_ = {}; }
  /// Called before an upcall, only if requests were received together. True: the caller must send
  /// the held replies before the upcall.
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
