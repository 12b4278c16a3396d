// Publishing works on a copy of the list of queues, so that consumers may come and go meanwhile.
#include "services/events/channel.h"

#include <perigee/base/log.h>
#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <utility>

namespace perigee::events {

Channel::Channel(std::string name, const Options& options, OctetCount waiting)
    : name_(std::move(name)), options_(options), waiting_octets_(std::move(waiting)) {}

EventRef Channel::make_event(CORBA::Any data) {
  const std::size_t octets = octets_of(data);
  if (octets > options_.event_octets_max) {
    count_refused();
    throw CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO,
                           "the event has " + std::to_string(octets) +
                               " octets; the channel accepts at most " +
                               std::to_string(options_.event_octets_max));
  }
  auto event = std::make_shared<const Event>(std::move(data), octets, waiting_octets_);
  if (waiting_octets_->load(std::memory_order_relaxed) > options_.waiting_octets_max) {
    count_refused();
    throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO,
                           "events of " + std::to_string(options_.waiting_octets_max) +
                               " octets wait in the event service for slow consumers; try again "
                               "later");
  }
  return event;
}

// The consumers with room get the event before the supplier waits for the others.
task<void> Channel::publish(CORBA::Any data) {
  const EventRef event = make_event(std::move(data));
  ++received_;
  const QueuesRef targets = queues();
  Queues full;
  for (const QueueRef& queue : *targets)
    if (is_full_for(queue, event)) full.push_back(queue);
  for (const QueueRef& queue : full) co_await wait_and_offer(queue, event);
}

bool Channel::is_full_for(const QueueRef& queue, const EventRef& event) {
  const EventQueue::Offered offered = queue->offer(event);
  count_dropped(offered.dropped);
  if (offered.offer == EventQueue::Offer::disconnected) {
    remove_consumer(queue);
    count_disconnected("consumer", "its queue was full");
  }
  return offered.offer == EventQueue::Offer::full;
}

task<void> Channel::wait_and_offer(QueueRef queue, EventRef event) {
  while (is_full_for(queue, event)) {
    const bool has_room = co_await queue->wait_for_room(event);
    if (!has_room && !queue->is_closed())
      throw CORBA::TRANSIENT(0, CORBA::COMPLETED_MAYBE,
                             "the supplier did not wait until all consumers had room");
  }
}

Channel::QueuesRef Channel::queues() {
  const std::scoped_lock lock(mutex_);
  if (!copy_) copy_ = std::make_shared<const Queues>(queues_);
  return copy_;
}

QueueRef Channel::add_consumer() {
  const EventQueue::Limits limits{options_.queue_events_max, options_.queue_octets_max};
  auto queue = std::make_shared<EventQueue>(limits, options_.overflow);
  const std::scoped_lock lock(mutex_);
  queues_.push_back(queue);
  copy_ = nullptr;
  return queue;
}

void Channel::remove_consumer(const QueueRef& queue) {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(queues_, queue);
    if (found != queues_.end()) {
      *found = std::move(queues_.back());
      queues_.pop_back();
      copy_ = nullptr;
    }
  }
  queue->close();
}

void Channel::count_disconnected(const char* peer, const std::string& reason) {
  ++disconnected_;
  log::write(log::Level::warning, "events",
             "channel " + name_ + ": a " + peer + " was disconnected: " + reason);
}

ChannelStatistics Channel::statistics() const {
  std::size_t consumers = 0;
  {
    const std::scoped_lock lock(mutex_);
    consumers = queues_.size();
  }
  return {.received = received_,
          .refused = refused_,
          .delivered = delivered_,
          .dropped = dropped_,
          .disconnected = disconnected_,
          .suppliers = suppliers_,
          .consumers = consumers,
          .waiting_octets = waiting_octets_->load(std::memory_order_relaxed)};
}

}  // namespace perigee::events
