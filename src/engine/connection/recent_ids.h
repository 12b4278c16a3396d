// The last request ids of a client, so that a request that arrives twice is executed once.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/base/short_lock.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace perigee::engine {

/// Used by one thread at a time. The network may duplicate datagrams and change their order.
/// An id counts as new again after 256 other ids.
class RecentIds {
 public:
  static constexpr std::size_t window = 256;

  /// False if the id is among the last ones.
  [[nodiscard]] bool add(std::uint32_t id) noexcept {
    const auto end = ids_.begin() + static_cast<std::ptrdiff_t>(count_);
    if (std::find(ids_.begin(), end, id) != end) return false;
    ids_[next_] = id;
    next_ = (next_ + 1) % window;
    count_ = std::min(count_ + 1, window);
    return true;
  }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  void clear() noexcept { next_ = count_ = 0; }

 private:
  std::array<std::uint32_t, window> ids_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

/// The ids of one sender of datagrams. Any thread: after an eviction, the old and the new
/// connection of a client read at the same time.
///
/// A network duplicates a datagram within seconds. After a minute of silence all ids count as new:
/// then the address may belong to another client, which begins with the same ids.
class RecentRequests {
 public:
  static constexpr std::chrono::seconds silence_max{60};

  /// False if the id is among the last ids.
  [[nodiscard]] bool add(std::uint32_t id, TimePoint now) noexcept {
    const std::lock_guard lock(lock_);
    if (now - last_ > silence_max) ids_.clear();
    last_ = now;
    return ids_.add(id);
  }
  /// Whether no request has come.
  [[nodiscard]] bool empty() noexcept {
    const std::lock_guard lock(lock_);
    return ids_.empty();
  }

 private:
  ShortLock lock_;  // guards the members below
  RecentIds ids_;
  TimePoint last_;  // of the last request
};

}  // namespace perigee::engine
