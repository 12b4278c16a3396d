// The limit of requests in progress. Loops borrow places in portions, so that a request changes
// only the counter of its own loop.
#pragma once

#include <perigee/base/export.h>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace perigee::engine {

class RequestShare;

/// The requests in progress on all connections of a server, and their limit. Any thread.
///
/// Invariant: the limit = free here + free in the shares + requests in progress. So the limit is
/// exact: a share that has no place left takes the free places of the other shares.
class RequestCount {
 public:
  explicit RequestCount(std::uint32_t max) noexcept : max_(max), free_(max) {}

  /// The number of requests in progress on all loops.
  [[nodiscard]] PERIGEE_INTERNAL_API std::uint32_t count() const noexcept;

 private:
  friend class RequestShare;

  PERIGEE_INTERNAL_API void add(RequestShare& share) noexcept;
  PERIGEE_INTERNAL_API void remove(RequestShare& share) noexcept;
  [[nodiscard]] std::uint32_t lend() noexcept;
  PERIGEE_INTERNAL_API void give_back(RequestShare& share, std::uint32_t places) noexcept;

  const std::uint32_t max_;
  mutable std::mutex mutex_;  // guards the members below, and the links of the shares
  std::uint32_t free_;
  RequestShare* first_ = nullptr;
};

/// The places of one loop. Any thread, though mostly the threads of the loop.
class RequestShare {
 public:
  /// The number of places that are lent or given back at once.
  static constexpr std::uint32_t portion = 64;

  explicit RequestShare(RequestCount& all) noexcept : all_(all) { all_.add(*this); }
  ~RequestShare() { all_.remove(*this); }
  RequestShare(const RequestShare&) = delete;
  RequestShare& operator=(const RequestShare&) = delete;

  /// False if as many requests are in progress as allowed.
  [[nodiscard]] bool begin() noexcept { return take(1) != 0 || borrow(); }
  void end() noexcept {
    if (free_.fetch_add(1, std::memory_order_relaxed) >= 2 * portion) [[unlikely]]
      all_.give_back(*this, portion);
  }

 private:
  friend class RequestCount;

  /// Takes `places` free places, or all free places if there are fewer. Returns their number.
  [[gnu::always_inline]] inline std::uint32_t take(std::uint32_t places) noexcept {
    std::uint32_t free = free_.load(std::memory_order_relaxed);
    std::uint32_t taken = 0;
    do {
      taken = free < places ? free : places;
      if (taken == 0) return 0;
    } while (!free_.compare_exchange_weak(free, free - taken, std::memory_order_relaxed));
    return taken;
  }
  [[nodiscard]] PERIGEE_INTERNAL_API bool borrow() noexcept;

  RequestCount& all_;
  RequestShare* next_ = nullptr;
  RequestShare* previous_ = nullptr;
  // In a cache line of its own, because every request of the loop writes it.
  alignas(64) std::atomic<std::uint32_t> free_{0};
};

}  // namespace perigee::engine
