// Reads stored events of one channel.
#pragma once

#include "services/events_nats/event_marks.h"
#include "services/events_nats/following.h"
#include "services/events_nats/read_budget.h"
#include "services/events_nats/session.h"
#include <perigee/async/task.h>
#include <perigee/services/events/store.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace perigee::events::nats {

/// Events that the listener got lately come from memory. Older events are asked for by their
/// numbers, several at once. NATS does not say whether a number is missing because the event was
/// removed, or because this replica does not have it yet. So at a missing number, the reader asks
/// the leader for the next event that exists.
///
/// A read goes no further than the listener: the listener tells of later events.
class Reading {
 public:
  struct Limits {
    std::size_t events_max = 1;
    std::size_t octets_max = 0;
  };
  struct Place {
    std::string stream;
    std::string subject;
  };
  using Events = std::expected<std::vector<StoredEvent>, StoreError>;

  /// `following`, `known` and `budget` outlive the reader. `known` gets the message ids of all
  /// events.
  Reading(Session& session, const Following& following, KnownEvents& known, ReadBudget& budget,
          Place place)
      : session_(session),
        following_(following),
        known_(known),
        budget_(budget),
        place_(std::move(place)) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  /// Waits for its turn: only some reads run at the same time.
  [[nodiscard]] task<Events> read(SequenceNumber after, Limits limits, TimePoint end);

 private:
  struct Batch {
    std::vector<StoredEvent> events;
    std::size_t octets = 0;
    std::size_t largest = 0;  // octets of the largest event
    std::size_t wave = 2;     // questions of the next wave at most; doubled after each wave

    [[nodiscard]] bool has_room(const Limits& limits, std::size_t octets_more) const {
      return events.empty() ||
             (events.size() < limits.events_max && octets + octets_more <= limits.octets_max);
    }
    void add(StoredEvent event);
  };
  /// What a step of a read found.
  enum class Step : std::uint8_t {
    got,      ///< events, or none because there is no room
    missing,  ///< the next event does not exist, or this replica does not have it
    failed,   ///< no answer
  };

  /// Wakes a read that waits, if there is room for it.
  void ring_next();
  [[nodiscard]] task<Events> read_stored(SequenceNumber after, Limits limits, TimePoint end);
  /// Reads the next events, as many as probably have room.
  [[nodiscard]] task<Step> read_wave(SequenceNumber next, Limits limits, TimePoint end,
                                     Batch& batch);
  /// Asks for `size` events, and adds the events that have room.
  [[nodiscard]] task<Step> ask_wave(SequenceNumber next, std::size_t size, Limits limits,
                                    TimePoint end, Batch& batch);
  /// The first number after a missing event from which on there may be events. 0: not known now.
  [[nodiscard]] task<SequenceNumber> skip(SequenceNumber missing, TimePoint end);
  [[nodiscard]] Publication question(const std::string& json) const;
  [[nodiscard]] std::size_t wave_size(SequenceNumber next, const Limits& limits,
                                      const Batch& batch) const;

  Session& session_;
  const Following& following_;
  KnownEvents& known_;
  ReadBudget& budget_;
  const Place place_;
  std::size_t running_ = 0;
  std::deque<Bell*> turns_;  // reads that wait for one of the others to end
};

}  // namespace perigee::events::nats
