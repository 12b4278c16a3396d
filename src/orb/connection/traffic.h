// What passes over connections, counted where it passes. Knows nothing of requests.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace perigee::orb {

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

/// Sums over connections.
struct TrafficTotals {
  std::uint64_t connections_open = 0;
  std::uint64_t connections_opened = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t octets_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t octets_sent = 0;
  std::uint64_t octets_queued = 0;  ///< wait to be sent now
  std::uint64_t oneways_lost = 0;   ///< waited to be sent together, and could not
};

class TrafficLedger;

/// One connection's counts, in the ledger for as long as it lives.
class Traffic {
 public:
  /// `ledger` may be null, and outlives the counts.
  explicit Traffic(TrafficLedger* ledger) noexcept;
  ~Traffic();
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

  // Of who reads.
  SoleWriterCounter messages_received;
  SoleWriterCounter octets_received;
  // Of who writes.
  SoleWriterCounter messages_sent;
  SoleWriterCounter octets_sent;
  std::atomic<std::uint64_t> messages_joined{0};  // sent besides: behind another, as one with it
  std::atomic<std::int64_t> octets_queued{0};

 private:
  friend class TrafficLedger;
  TrafficLedger* const ledger_;
  Traffic* previous_ = nullptr;  // under the ledger's mutex
  Traffic* next_ = nullptr;
};

/// The connections of one side of an ORB, those that have ended included. Any thread.
class TrafficLedger {
 public:
  [[nodiscard]] TrafficTotals totals() const;
  std::atomic<std::uint64_t> oneways_lost{0};

 private:
  friend class Traffic;
  void add(Traffic& traffic) noexcept;
  void remove(Traffic& traffic) noexcept;
  static void count(TrafficTotals& totals, const Traffic& traffic) noexcept;

  mutable std::mutex mutex_;  // guards what follows
  Traffic* open_ = nullptr;
  TrafficTotals ended_;  // with all that were ever opened
};

}  // namespace perigee::orb
