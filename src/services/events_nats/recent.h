// The newest events of a channel, in memory.
#pragma once

#include <perigee/services/events/store.h>

#include <cstddef>
#include <deque>
#include <vector>

namespace perigee::events::nats {

/// Has all events with numbers above `complete_after()`, up to the newest event that was added.
class Recent {
 public:
  /// `begin`: the number before the first event that can be added.
  Recent(std::size_t octets_max, SequenceNumber begin)
      : octets_max_(octets_max), complete_after_(begin) {}

  /// Events come in the order of their numbers.
  void add(StoredEvent event);
  [[nodiscard]] SequenceNumber complete_after() const { return complete_after_; }
  /// Appends copies of the events with numbers above `after` to `events`. The limits are those of
  /// EventStore::read, and include the events that `events` already has. `octets` is the size of
  /// all events in `events`; this function updates it.
  void read(SequenceNumber after, std::size_t events_max, std::size_t octets_max,
            std::vector<StoredEvent>& events, std::size_t& octets) const;

 private:
  std::size_t octets_max_;
  SequenceNumber complete_after_;
  std::deque<StoredEvent> events_;
  std::size_t octets_ = 0;  // of events_
};

}  // namespace perigee::events::nats
