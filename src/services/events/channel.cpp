// Publishing works on a copy of the list of queues, so that consumers may come and go meanwhile.
#include "services/events/channel.h"

#include <perigee/base/log.h>
#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <utility>

namespace perigee::events {

Channel::Channel(std::string name, const Options& options, OctetCount waiting, WatchRef watch)
    : name_(std::move(name)),
      options_(options),
      waiting_octets_(std::make_shared<WaitingOctets>(std::move(waiting))),
      watch_(std::move(watch)) {}

EventRef Channel::keep(CORBA::Any data) {
  const std::size_t octets = octets_of(data);
  if (octets > options_.event_octets_max) {
    count_refused();
    throw CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO,
                           "the event has " + std::to_string(octets) +
                               " octets; the channel accepts at most " +
                               std::to_string(options_.event_octets_max));
  }
  return std::make_shared<const Event>(std::move(data), octets, waiting_octets_);
}

bool Channel::is_over_limit() const noexcept {
  return waiting_octets_->of_service() > options_.waiting_octets_max;
}

EventRef Channel::accept(CORBA::Any data) {
  EventRef event = keep(std::move(data));
  if (is_over_limit()) {
    count_refused();
    throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO,
                           "events of " + std::to_string(options_.waiting_octets_max) +
                               " octets wait in the event service for slow consumers; try again "
                               "later");
  }
  return event;
}

// The consumers with room get the event before the supplier waits for the others.
task<void> Channel::publish(EventRef event) {
  if (is_durable()) co_return co_await append(std::move(event));
  ++received_;
  const QueuesRef targets = queues();
  Queues full;
  for (const QueueRef& queue : *targets)
    if (is_full_for(queue, event)) full.push_back(queue);
  for (const QueueRef& queue : full) co_await put(queue, event);
}

task<void> Channel::append(EventRef event) {
  try {
    co_await log_->append(std::move(event));
  } catch (const CORBA::SystemException&) {
    count_refused();
    throw;
  }
  ++received_;
}

void Channel::pass_on(CORBA::Any data, std::size_t octets) {
  const QueuesRef targets = queues();
  if (targets->empty()) return;
  if (is_over_limit()) return count_dropped(targets->size());
  const EventRef event = std::make_shared<const Event>(std::move(data), octets, waiting_octets_);
  for (const QueueRef& queue : *targets) (void)is_full_for(queue, event);
}

bool Channel::has_consumers() const {
  const std::scoped_lock lock(mutex_);
  return !queues_.empty();
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

// A consumer that takes events, but slowly, is not disconnected: the supplier waits again, before
// the other ones.
task<void> Channel::put(QueueRef queue, EventRef event) {
  auto position = EventQueue::Position::last;
  while (true) {
    const std::uint64_t taken = queue->taken();
    const ShutdownWatch::Waiting waiting(watch_, options_.block_max);
    const bool is_done = co_await queue->put(event, position, waiting.expiry());
    if (is_done || queue->is_closed()) co_return;
    if (!waiting.expiry().stop_requested())
      throw CORBA::TRANSIENT(0, CORBA::COMPLETED_MAYBE,
                             "the supplier did not wait until all consumers had room");
    if (queue->taken() == taken) {
      remove_consumer(queue);
      count_disconnected("consumer", "suppliers waited, and it took no event for " +
                                         std::to_string(options_.block_max.count()) + " ms");
      co_return;
    }
    position = EventQueue::Position::first;
  }
}

Channel::QueuesRef Channel::queues() {
  const std::scoped_lock lock(mutex_);
  if (!copy_) copy_ = std::make_shared<const Queues>(queues_);
  return copy_;
}

// The supplier of a durable channel does not wait for consumers: subscriptions miss no events.
QueueRef Channel::add_consumer() {
  if (is_durable()) log_->prepare_consumer();
  const EventQueue::Limits limits{options_.queue_events_max, options_.queue_octets_max};
  const bool may_wait = options_.overflow != Overflow::block || !is_durable();
  auto queue =
      std::make_shared<EventQueue>(limits, may_wait ? options_.overflow : Overflow::drop_oldest);
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
  (void)queue->close();
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
          .waiting_octets = waiting_octets_->of_channel()};
}

}  // namespace perigee::events
