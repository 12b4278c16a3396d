// A waiting task is a completion in a list. The stop of the task completes it, too. Invariant: if a
// supplier waits, there is no room for its event, or for the event of a supplier before it.
#include "services/events/event_queue.h"

#include <perigee/async/task.h>

#include <utility>

namespace perigee::events {

namespace {

/// A stop request calls this object, and so wakes the waiting task.
struct Wake {
  WaiterRef waiter;
  void operator()() const noexcept { waiter->done.complete(); }
};

/// Waits for the completion, a stop request of this task, or `expiry`.
task<void> wait(WaiterRef waiter, std::stop_token stop, std::stop_token expiry) {
  const std::stop_callback on_stop(std::move(stop), Wake{waiter});
  const std::stop_callback on_expiry(std::move(expiry), Wake{waiter});
  co_await waiter->done;
}

}  // namespace

void EventQueue::append(const EventRef& event, WakeList& woken) {
  events_.push_back(event);
  octets_ += event->octets();
  woken.add(consumers_.take_first());
}

void EventQueue::admit_suppliers(WakeList& woken) {
  while (!suppliers_.is_empty() && has_room(*suppliers_.first()->event)) {
    append(suppliers_.first()->event, woken);
    WaiterRef supplier = suppliers_.take_first();
    supplier->has_put = true;
    woken.add(std::move(supplier));
  }
}

EventRef EventQueue::take_first() {
  if (events_.empty()) return nullptr;
  EventRef first = std::move(events_.front());
  events_.pop_front();
  octets_ -= first->octets();
  return first;
}

bool EventQueue::has_room(const Event& event) const noexcept {
  if (events_.empty()) return true;
  return events_.size() < limits_.events_max && octets_ <= limits_.octets_max &&
         event.octets() <= limits_.octets_max - octets_;
}

EventQueue::Offer EventQueue::make_room(const Event& event, std::vector<EventRef>& dropped) {
  switch (overflow_) {
    case Overflow::drop_oldest:
      while (!has_room(event)) dropped.push_back(take_first());
      return Offer::taken;
    case Overflow::block:
      return Offer::full;
    case Overflow::disconnect:
      return Offer::disconnected;
    case Overflow::drop_newest:
      break;
  }
  return Offer::taken;
}

EventQueue::Offered EventQueue::offer(const EventRef& event) {
  WakeList woken;
  std::vector<EventRef> dropped;  // freed outside of the lock
  Offer result = Offer::taken;
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return {Offer::closed};
    if (!suppliers_.is_empty()) return {Offer::full};
    if (!has_room(*event)) {
      if (overflow_ == Overflow::drop_newest) return {Offer::taken, 1};
      result = make_room(*event, dropped);
    }
    if (result == Offer::taken) append(event, woken);
  }
  if (result == Offer::disconnected) close();
  woken.wake();
  return {result, dropped.size()};
}

EventRef EventQueue::take() {
  EventRef event;
  WakeList woken;
  {
    const std::scoped_lock lock(mutex_);
    event = take_first();
    if (event) {
      ++taken_;
      admit_suppliers(woken);
    }
  }
  woken.wake();
  return event;
}

// A task that was stopped passes the wake on: the event is for another task.
task<EventRef> EventQueue::next(std::stop_token expiry) {
  const std::stop_token stop = co_await stop_token_of_this_task();
  while (!stop.stop_requested() && !expiry.stop_requested()) {
    if (EventRef event = take()) co_return event;
    const auto waiter = std::make_shared<Waiter>();
    {
      const std::scoped_lock lock(mutex_);
      if (closed_) co_return nullptr;
      if (!events_.empty()) continue;
      consumers_.add_last(waiter);
    }
    co_await wait(waiter, stop, expiry);
    const std::scoped_lock lock(mutex_);
    consumers_.remove(*waiter);
  }
  WakeList other;
  {
    const std::scoped_lock lock(mutex_);
    if (!events_.empty()) other.add(consumers_.take_first());
  }
  other.wake();
  co_return nullptr;
}

task<bool> EventQueue::put(EventRef event, Position position, std::stop_token expiry) {
  const std::stop_token stop = co_await stop_token_of_this_task();
  if (stop.stop_requested()) co_return false;
  const auto waiter = std::make_shared<Waiter>();
  waiter->event = std::move(event);
  WakeList woken;
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) co_return false;
    if (position == Position::first)
      suppliers_.add_first(waiter);
    else
      suppliers_.add_last(waiter);
    admit_suppliers(woken);
  }
  woken.wake();
  co_await wait(waiter, stop, std::move(expiry));
  leave_suppliers(*waiter);
  co_return waiter->has_put;
}

void EventQueue::leave_suppliers(Waiter& waiter) {
  WakeList woken;
  {
    const std::scoped_lock lock(mutex_);
    suppliers_.remove(waiter);
    admit_suppliers(woken);
  }
  woken.wake();
}

std::size_t EventQueue::close() {
  WakeList woken;
  std::deque<EventRef> events;  // freed outside of the lock
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    events.swap(events_);
    octets_ = 0;
    while (WaiterRef waiter = consumers_.take_first()) woken.add(std::move(waiter));
    while (WaiterRef waiter = suppliers_.take_first()) woken.add(std::move(waiter));
  }
  woken.wake();
  return events.size();
}

bool EventQueue::is_closed() const {
  const std::scoped_lock lock(mutex_);
  return closed_;
}

std::uint64_t EventQueue::taken() const {
  const std::scoped_lock lock(mutex_);
  return taken_;
}

}  // namespace perigee::events
