// A waiting task is a completion in a list. The stop of the task completes it, too.
#include "services/events/event_queue.h"

#include <perigee/async/task.h>

#include <stop_token>
#include <utility>

namespace perigee::events {

namespace {

/// The function of a stop request.
struct Wake {
  std::shared_ptr<completion<>> waiter;
  void operator()() const noexcept { waiter->complete(); }
};

}  // namespace

void EventQueue::wake(const Waiter& waiter) {
  if (waiter) waiter->complete();
}

EventQueue::Waiter EventQueue::first_of(Waiters& waiters) {
  if (waiters.empty()) return nullptr;
  Waiter first = std::move(waiters.front());
  waiters.pop_front();
  return first;
}

void EventQueue::remove(Waiters& waiters, const Waiter& waiter) {
  const std::scoped_lock lock(mutex_);
  waiters.remove(waiter);
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
  Waiter reader;
  std::vector<EventRef> dropped;  // freed outside of the lock
  Offer result = Offer::taken;
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return {Offer::closed};
    if (!has_room(*event)) {
      if (overflow_ == Overflow::drop_newest) return {Offer::taken, 1};
      result = make_room(*event, dropped);
    }
    if (result == Offer::taken) {
      events_.push_back(event);
      octets_ += event->octets();
      reader = first_of(readers_);
    }
  }
  if (result == Offer::disconnected) close();
  wake(reader);
  return {result, dropped.size()};
}

EventRef EventQueue::take() {
  EventRef event;
  Waiters writers;  // all of them: their events have different sizes
  {
    const std::scoped_lock lock(mutex_);
    event = take_first();
    if (event) writers.swap(writers_);
  }
  for (const Waiter& writer : writers) wake(writer);
  return event;
}

// A task that was stopped passes the wake on: the event is for another task.
task<EventRef> EventQueue::next() {
  const std::stop_token stop = co_await stop_token_of_this_task();
  while (!stop.stop_requested()) {
    if (EventRef event = take()) co_return event;
    const auto waiter = std::make_shared<completion<>>();
    {
      const std::scoped_lock lock(mutex_);
      if (closed_) co_return nullptr;
      if (!events_.empty()) continue;
      readers_.push_back(waiter);
    }
    {
      const std::stop_callback on_stop(stop, Wake{waiter});
      co_await *waiter;
    }
    remove(readers_, waiter);
  }
  Waiter other;
  {
    const std::scoped_lock lock(mutex_);
    if (!events_.empty()) other = first_of(readers_);
  }
  wake(other);
  co_return nullptr;
}

task<bool> EventQueue::wait_for_room(EventRef event) {
  const std::stop_token stop = co_await stop_token_of_this_task();
  while (!stop.stop_requested()) {
    const auto waiter = std::make_shared<completion<>>();
    {
      const std::scoped_lock lock(mutex_);
      if (closed_) co_return false;
      if (has_room(*event)) co_return true;
      writers_.push_back(waiter);
    }
    {
      const std::stop_callback on_stop(stop, Wake{waiter});
      co_await *waiter;
    }
    remove(writers_, waiter);
  }
  co_return false;
}

void EventQueue::close() {
  Waiters waiting;
  std::deque<EventRef> events;  // freed outside of the lock
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    events.swap(events_);
    octets_ = 0;
    waiting.splice(waiting.end(), readers_);
    waiting.splice(waiting.end(), writers_);
  }
  for (const Waiter& waiter : waiting) wake(waiter);
}

bool EventQueue::is_closed() const {
  const std::scoped_lock lock(mutex_);
  return closed_;
}

}  // namespace perigee::events
