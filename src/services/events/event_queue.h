// The events that wait for one consumer.
#pragma once

#include "services/events/waiters.h"
#include <perigee/async/task.h>
#include <perigee/services/events/options.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <vector>

namespace perigee::events {

/// Any thread. Tasks that wait are resumed by the thread that adds or takes an event, or closes the
/// queue.
class EventQueue {
 public:
  /// An empty queue accepts an event of any size.
  struct Limits {
    std::size_t events_max = 1;
    std::size_t octets_max = 0;
  };
  EventQueue(const Limits& limits, Overflow overflow) noexcept
      : limits_(limits), overflow_(overflow) {}

  enum class Offer : std::uint8_t {
    taken,
    full,          ///< the supplier has to wait for room: `put`
    disconnected,  ///< there was no room, so this offer closed the queue
    closed,        ///< the queue was closed before
  };
  struct Offered {
    Offer offer = Offer::taken;
    std::size_t dropped = 0;  ///< events that the consumer misses
  };
  Offered offer(const EventRef& event);
  /// The oldest event; null if there is none.
  EventRef take();
  /// Waits for an event. Null if the queue is closed, the task is asked to stop, or at `expiry`.
  task<EventRef> next(std::stop_token expiry = {});
  /// The place of a waiting supplier: before or after the other suppliers.
  enum class Position : std::uint8_t { first, last };
  /// Waits until the queue has taken the event. False if the queue is closed, the task is asked to
  /// stop, or at `expiry`: the event is not in the queue. Suppliers get room in the order of their
  /// calls.
  task<bool> put(EventRef event, Position position, std::stop_token expiry);
  /// The number of events that the consumer has taken.
  [[nodiscard]] std::uint64_t taken() const;
  /// Drops all events, and ends all waits. Returns the number of events.
  std::size_t close();
  [[nodiscard]] bool is_closed() const;

 private:
  /// The functions below expect the lock.
  void append(const EventRef& event, WakeList& woken);
  [[nodiscard]] EventRef take_first();
  [[nodiscard]] bool has_room(const Event& event) const noexcept;
  /// Takes the events of waiting suppliers as long as there is room.
  void admit_suppliers(WakeList& woken);
  /// Applies the policy of a full queue. `dropped` gets the events that were removed.
  [[nodiscard]] Offer make_room(const Event& event, std::vector<EventRef>& dropped);

  /// Removes a supplier that no longer waits, and admits the next suppliers. Takes the lock.
  void leave_suppliers(Waiter& waiter);

  const Limits limits_;
  const Overflow overflow_;
  mutable std::mutex mutex_;  // guards the members below
  std::deque<EventRef> events_;
  std::size_t octets_ = 0;  // of events_
  std::uint64_t taken_ = 0;
  Waiters consumers_;
  Waiters suppliers_;
  bool closed_ = false;
};

}  // namespace perigee::events
