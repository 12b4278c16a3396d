// Counts of one connection's output.
#pragma once

#include "engine/memory/budget.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace perigee::engine {

/// Only one thread at a time adds to it, so adding takes no locked instruction. Any thread reads
/// it.
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

/// Octets of copies that wait to be sent. They are charged to the budget like those of a `Charge`,
/// but any thread may change them. The budget may be exceeded: UnfinishedMessages then ends
/// connections.
class QueuedOctets {
 public:
  /// `budget` may be null, and outlives this object.
  explicit QueuedOctets(MemoryBudget* budget = nullptr) noexcept : budget_(budget) {}
  ~QueuedOctets() { add(-value()); }
  QueuedOctets(const QueuedOctets&) = delete;
  QueuedOctets& operator=(const QueuedOctets&) = delete;

  /// Sequentially consistent: of two threads that change the count at the same time, at least one
  /// sees the sum and charges it.
  void add(std::int64_t octets) noexcept {
    const std::int64_t sum = octets_.fetch_add(octets) + octets;
    if (budget_ != nullptr && cost_of(sum) != charged_.load()) charge_present();
  }
  [[nodiscard]] std::int64_t value() const noexcept {
    return octets_.load(std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] static std::uint64_t cost_of(std::int64_t octets) noexcept {
    return Charge::cost_of(static_cast<std::uint64_t>(std::max<std::int64_t>(octets, 0)));
  }
  void charge_present() noexcept;

  MemoryBudget* const budget_;
  std::atomic<std::int64_t> octets_{0};
  std::atomic<std::uint64_t> charged_{0};
};

/// Kept by the outgoing queue, read by metrics.
struct OutgoingCounts {
  explicit OutgoingCounts(MemoryBudget* budget = nullptr) noexcept : queued(budget) {}

  // The writing thread changes these counters.
  SoleWriterCounter messages;  ///< messages that were sent, or handed to a send
  SoleWriterCounter octets;    ///< octets that the transport has accepted
  QueuedOctets queued;
};

}  // namespace perigee::engine
