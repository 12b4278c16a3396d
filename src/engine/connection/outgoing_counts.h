// Counts of one connection's output.
#pragma once

#include <atomic>
#include <cstdint>

namespace perigee::engine {

/// Grows by one thread at a time, which costs no locked instruction; read by any thread.
class SoleWriterCounter {
 public:
  void add(std::uint64_t count) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// Kept by the outgoing queue, read by metrics.
struct OutgoingCounts {
  SoleWriterCounter messages;           ///< sent, or handed to a send; by the writing thread
  SoleWriterCounter octets;             ///< accepted by the transport; by the writing thread
  std::atomic<std::int64_t> queued{0};  ///< octets of copies that wait to be sent
};

}  // namespace perigee::engine
