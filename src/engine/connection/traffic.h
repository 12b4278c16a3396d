// Counts the messages and octets of connections. Knows nothing of requests.
#pragma once

#include "engine/connection/outgoing_counts.h"
#include <perigee/messaging/storage.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace perigee::engine {

class SequenceCache;
class UnfinishedMessages;

/// Sums over connections.
struct TrafficTotals {
  std::uint64_t connections_open = 0;
  std::uint64_t connections_opened = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t octets_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t octets_sent = 0;
  std::uint64_t octets_queued = 0;      ///< wait to be sent now
  std::uint64_t oneways_lost = 0;       ///< waited to be sent together, and could not be sent
  std::uint64_t datagrams_dropped = 0;  ///< malformed or unexpected messages
};

class TrafficLedger;

/// The counts of one connection. The ledger lists them while this object exists.
class Traffic {
 public:
  /// `ledger` may be null, and outlives the counts.
  explicit Traffic(TrafficLedger* ledger) noexcept;
  ~Traffic();
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

  // Counted by the reading thread.
  SoleWriterCounter messages_received;
  SoleWriterCounter octets_received;
  SoleWriterCounter datagrams_dropped;
  OutgoingCounts sent;

  /// Called after a message was queued: the registry of unfinished messages checks the budget.
  void note_queued() const noexcept;

 private:
  friend class TrafficLedger;
  TrafficLedger* const ledger_;
  Traffic* previous_ = nullptr;  // under the ledger's mutex
  Traffic* next_ = nullptr;
};

/// The connections of one side of an ORB, including connections that have ended. Any thread.
class TrafficLedger {
 public:
  /// The registry of the connections for messages that are not complete; null: there is none.
  UnfinishedMessages* unfinished = nullptr;
  [[nodiscard]] TrafficTotals totals() const;
  std::atomic<std::uint64_t> oneways_lost{0};
  /// The source of the connections' storage for large messages; null: the heap. Set before the
  /// first connection.
  std::shared_ptr<messaging::StorageSource> storage;
  /// The cache of vectors into which the connections receive large sequences; null: none. Set
  /// before the first connection; outlives all connections.
  SequenceCache* sequences = nullptr;

 private:
  friend class Traffic;
  void add(Traffic& traffic) noexcept;
  void remove(Traffic& traffic) noexcept;
  static void count(TrafficTotals& totals, const Traffic& traffic) noexcept;

  mutable std::mutex mutex_;  // guards the members below
  Traffic* open_ = nullptr;
  TrafficTotals ended_;  // of ended connections; connections_opened counts all connections
};

}  // namespace perigee::engine
