// One event channel: it passes each event to the queues of all its consumers. Knows no proxies.
#pragma once

#include "services/events/event_log.h"
#include "services/events/event_queue.h"
#include "services/events/shutdown_watch.h"
#include <perigee/services/events/options.h>
#include <perigee/services/events/statistics.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace perigee::events {

using QueueRef = std::shared_ptr<EventQueue>;

/// Any thread.
class Channel {
 public:
  using WatchRef = std::shared_ptr<ShutdownWatch>;

  /// `waiting` counts the octets of the whole service.
  Channel(std::string name, const Options& options, OctetCount waiting, WatchRef watch);
  /// Called once, before the first event: makes the channel durable.
  void keep_in(std::shared_ptr<EventLog> log) { log_ = std::move(log); }
  [[nodiscard]] bool is_durable() const noexcept { return log_ != nullptr; }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// The event of a push supplier; it counts at once. Raises IMP_LIMIT for an event that is too
  /// large, and TRANSIENT if too many octets wait.
  [[nodiscard]] EventRef accept(CORBA::Any data);
  /// The event of a pull supplier, which counts even if too many octets wait: the caller asks
  /// `is_over_limit` before it asks the supplier. Raises IMP_LIMIT as above.
  [[nodiscard]] EventRef keep(CORBA::Any data);
  /// The events that wait in the service have too many octets.
  [[nodiscard]] bool is_over_limit() const noexcept;
  /// Gives the event to all consumers; with Overflow::block, waits for consumers without room.
  /// Raises TRANSIENT if the task is asked to stop while it waits. The channel must live until the
  /// task ends. A durable channel returns when the event is kept, and raises the exceptions of its
  /// log.
  task<void> publish(EventRef event);
  /// Gives an event that the log has kept to all consumers, without waiting. `octets` is its size.
  void pass_on(CORBA::Any data, std::size_t octets);
  [[nodiscard]] bool has_consumers() const;

  /// A queue that gets all later events. Ends with `remove_consumer`.
  [[nodiscard]] QueueRef add_consumer();
  void remove_consumer(const QueueRef& queue);

  void add_supplier() noexcept { ++suppliers_; }
  void remove_supplier() noexcept { --suppliers_; }
  void count_delivered() noexcept { ++delivered_; }
  void count_dropped(std::size_t events) noexcept { dropped_ += events; }
  /// An event of a pull supplier that the channel could not accept.
  void count_refused() noexcept { ++refused_; }
  /// The channel has disconnected a supplier or a consumer: logs it with the reason.
  void count_disconnected(const char* peer, const std::string& reason);

  /// The channel has been destroyed: it gets no further proxies.
  void end() noexcept { ended_ = true; }
  [[nodiscard]] bool has_ended() const noexcept { return ended_; }

  [[nodiscard]] ChannelStatistics statistics() const;
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }

 private:
  using Queues = std::vector<QueueRef>;
  using QueuesRef = std::shared_ptr<const Queues>;

  task<void> append(EventRef event);
  /// Offers the event to the queue. True: there is no room, and the supplier has to wait.
  [[nodiscard]] bool is_full_for(const QueueRef& queue, const EventRef& event);
  /// Disconnects the consumer if it takes no event for too long.
  task<void> put(QueueRef queue, EventRef event);
  /// A list that does not change.
  [[nodiscard]] QueuesRef queues();

  const std::string name_;
  const Options options_;
  const WaitingOctetsRef waiting_octets_;
  const WatchRef watch_;
  std::shared_ptr<EventLog> log_;  // also used by the objects of subscriptions
  std::atomic<bool> ended_ = false;
  std::atomic<std::uint64_t> received_ = 0;
  std::atomic<std::uint64_t> refused_ = 0;
  std::atomic<std::uint64_t> delivered_ = 0;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::atomic<std::uint64_t> disconnected_ = 0;
  std::atomic<std::size_t> suppliers_ = 0;
  mutable std::mutex mutex_;  // guards the members below
  Queues queues_;
  QueuesRef copy_;  // of queues_; null after a change
};

}  // namespace perigee::events
