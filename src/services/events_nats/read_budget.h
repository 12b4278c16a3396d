// Limits the memory of the answers that have events, for all channels of a store.
#pragma once

#include "services/events_nats/session.h"

#include <cstddef>
#include <deque>

namespace perigee::events::nats {

/// Each open question counts with the octets of the largest answer, because the size of an event is
/// known only when it comes. On the thread of the store.
class ReadBudget {
 public:
  explicit ReadBudget(std::size_t octets_max) : octets_max_(octets_max) {}
  ReadBudget(const ReadBudget&) = delete;
  ReadBudget& operator=(const ReadBudget&) = delete;

  /// Takes room for at most `wanted` answers of `octets_each`, and returns for how many. 0: none
  /// now. A question that is larger than the budget may be open alone.
  [[nodiscard]] std::size_t take(std::size_t wanted, std::size_t octets_each);
  /// Gives room back, and wakes the reads that wait.
  void give_back(std::size_t octets);
  /// Waits until room was given back, or for `time`.
  [[nodiscard]] task<void> wait(Session& session, std::chrono::milliseconds time);

 private:
  const std::size_t octets_max_;
  std::size_t taken_ = 0;
  std::deque<Bell*> waiting_;
};

}  // namespace perigee::events::nats
