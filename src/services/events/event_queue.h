// The events that wait for one consumer.
#pragma once

#include "services/events/event.h"
#include <perigee/async/completion.h>
#include <perigee/async/task.h>
#include <perigee/services/events/options.h>

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
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
    full,          ///< the supplier has to wait for room, and to offer the event again
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
  /// Waits for an event. Null if the queue is closed, or the task is asked to stop.
  task<EventRef> next();
  /// Waits until there is room for this event. False if the queue is closed, or the task is asked
  /// to stop.
  task<bool> wait_for_room(EventRef event);
  /// Drops all events, and ends all waits.
  void close();
  [[nodiscard]] bool is_closed() const;

 private:
  using Waiter = std::shared_ptr<completion<>>;
  using Waiters = std::list<Waiter>;

  /// Resumes one of the tasks, outside of the lock.
  static void wake(const Waiter& waiter);
  [[nodiscard]] static Waiter first_of(Waiters& waiters);
  [[nodiscard]] EventRef take_first();
  [[nodiscard]] bool has_room(const Event& event) const noexcept;
  /// Applies the policy of a full queue. `dropped` gets the events that were removed.
  [[nodiscard]] Offer make_room(const Event& event, std::vector<EventRef>& dropped);
  void remove(Waiters& waiters, const Waiter& waiter);

  const Limits limits_;
  const Overflow overflow_;
  mutable std::mutex mutex_;  // guards the members below
  std::deque<EventRef> events_;
  std::size_t octets_ = 0;  // of events_
  Waiters readers_;
  Waiters writers_;
  bool closed_ = false;
};

}  // namespace perigee::events
