// The log of a durable channel: between the channel and a store.
#pragma once

#include "services/events/channel.h"
#include "services/events/event_codec.h"
#include <perigee/event/reactor.h>
#include <perigee/services/events/store.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace perigee::events {

/// Learns of new events in a log. Any thread.
class LogListener {
 public:
  virtual ~LogListener() = default;
  LogListener(const LogListener&) = delete;
  LogListener& operator=(const LogListener&) = delete;

  /// Called by a thread of the store when there is a new event.
  virtual void wake() = 0;
  /// Called when the log gives no further events.
  virtual void end() = 0;

 protected:
  LogListener() = default;
};

/// Any thread.
class DurableLog final : public EventLog, public std::enable_shared_from_this<DurableLog> {
 public:
  using Listeners = std::vector<std::shared_ptr<LogListener>>;

  /// `store` outlives this object.
  DurableLog(EventStore& store, const CORBA::object_reference<CORBA::ORB>& orb,
             const Options& options, std::string channel);

  /// Opens the channel of the store, and returns its subscriptions. Blocks. Stored events reach
  /// `channel`, which keeps this log. Raises the exceptions of the store.
  [[nodiscard]] std::vector<Subscription> open(const std::shared_ptr<Channel>& channel);
  task<void> append(EventRef event) override;

  /// Does the same as `subscribe`, and blocks.
  [[nodiscard]] Subscription subscribe_now(const std::string& name, Begin begin);

  /// @name Requests of the store. They raise its exceptions, and a thread of the store may resume
  /// the tasks.
  /// @{
  task<Subscription> subscribe(std::string name, Begin begin);
  /// The subscription as the store has it now.
  task<Subscription> position(std::string name);
  task<void> unsubscribe(std::string name);
  task<std::vector<Subscription>> subscriptions();
  task<void> acknowledge(std::string name, SequenceNumber number);
  task<std::vector<StoredEvent>> read(std::string name, SequenceNumber after);
  /// @}
  /// Does not wait. `done` as in EventStore.
  void acknowledge(const std::string& name, SequenceNumber number, Receive<void> done);

  /// Adds a listener, which learns of new events from now on.
  void add(const std::shared_ptr<LogListener>& listener);
  void remove(const std::shared_ptr<LogListener>& listener);
  void prepare_consumer() override;
  /// Ends all listeners, which keep this log alive until then.
  void close();

  [[nodiscard]] const EventCodec& codec() const noexcept { return codec_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }
  [[nodiscard]] const CORBA::object_reference<CORBA::ORB>& orb() const noexcept { return orb_; }
  /// Writes a failure to the log of the program, at most one in a few seconds.
  void log_failure(const std::string& text);
  /// Logs that an event of the store cannot be decoded, and is left out.
  void note_damaged(SequenceNumber number);

 private:
  using ListenersRef = std::shared_ptr<const Listeners>;

  /// Called by a thread of the store when an event is durable. Tells the listeners and the channel.
  void stored(const StoredEvent& event) noexcept;
  /// Removes all listeners, and returns them.
  [[nodiscard]] ListenersRef take_listeners();
  /// The loop that has to call `pass_on_some`; null if it will do so anyway.
  [[nodiscard]] event::Reactor* keep_for_consumers(const StoredEvent& event, Channel& channel);
  /// Lets the loop pass events on. If this fails, the next event of the store tries again.
  void post_passing(event::Reactor& loop) noexcept;
  /// Passes a part of the events on, and lets the loop do other work before the next part.
  void pass_on_some() noexcept;
  /// Takes the next event to pass on. std::nullopt: no event is left, and the loop has nothing more
  /// to do.
  [[nodiscard]] std::optional<StoredEvent> take_passing();
  void pass_on(const StoredEvent& event) noexcept;

  EventStore& store_;
  const CORBA::object_reference<CORBA::ORB> orb_;
  const Options options_;
  const std::string name_;
  const EventCodec codec_;
  std::weak_ptr<Channel> channel_;                                // set once by `open`
  std::mutex mutex_;                                              // guards the members below
  ListenersRef listeners_ = std::make_shared<const Listeners>();  // a list that does not change
  std::deque<StoredEvent> passing_;  // events on their way to the queues of consumers
  std::size_t passing_octets_ = 0;
  bool is_passing_ = false;
  event::Reactor* loop_ = nullptr;  // lives as long as the ORB
  TimePoint next_failure_log_ = TimePoint::min();
};

}  // namespace perigee::events
