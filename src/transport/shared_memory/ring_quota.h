// Limits the number of connections that a server accepts. Private to transport/shared_memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace perigee::transport::shared_memory {

/// Counts the connections of one protocol whose memory the server has mapped. Any thread.
class RingQuota {
 public:
  explicit RingQuota(std::uint32_t connections_max) noexcept : connections_max_(connections_max) {}

  /// One of the counted connections, or none. The destructor ends the count.
  class Share {
   public:
    Share() noexcept = default;
    explicit Share(std::shared_ptr<RingQuota> quota) noexcept : quota_(std::move(quota)) {}
    Share(Share&& other) noexcept : quota_(std::move(other.quota_)) {}
    Share& operator=(Share&& other) noexcept {
      quota_.swap(other.quota_);
      return *this;
    }
    ~Share() {
      if (quota_) quota_->count_.fetch_sub(1, std::memory_order_relaxed);
    }
    explicit operator bool() const noexcept { return quota_ != nullptr; }

   private:
    std::shared_ptr<RingQuota> quota_;  // shared: a connection may outlive the protocol
  };

  /// An empty share if there are `connections_max` connections.
  [[nodiscard]] static Share take(const std::shared_ptr<RingQuota>& quota) noexcept {
    std::uint32_t count = quota->count_.load(std::memory_order_relaxed);
    do {
      if (count >= quota->connections_max_) return {};
    } while (!quota->count_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed));
    return Share(quota);
  }

 private:
  const std::uint32_t connections_max_;
  std::atomic<std::uint32_t> count_{0};
};

}  // namespace perigee::transport::shared_memory
