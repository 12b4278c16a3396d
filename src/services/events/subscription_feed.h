// A subscription of a durable channel inside the service: the position of its consumer, and the
// number of the last acknowledged event.
#pragma once

#include "services/events/durable_log.h"
#include <perigee/async/completion.h>
#include <perigee/async/task.h>
#include <perigee/base/clock.h>
#include <perigee/event/reactor.h>
#include <perigee/orb/any.h>
#include <perigee/services/events/options.h>
#include <perigee/services/events/store.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace perigee::events {

class SubscriptionReader;

struct NumberedEvent {
  SequenceNumber number = 0;
  CORBA::Any data;
};

/// Any thread. One consumer at a time is connected: a new one takes the place of the former one.
class SubscriptionFeed final : public LogListener,
                               public std::enable_shared_from_this<SubscriptionFeed> {
 public:
  SubscriptionFeed(std::shared_ptr<DurableLog> log, const Subscription& stored);

  /// Takes over the position that the store has: another service may have delivered events, or made
  /// the subscription again. Called on a thread that serves a request, before `connect`, and
  /// resumes on the loop of this thread. Raises the exceptions of the store, and OBJECT_NOT_EXIST
  /// if the store has no such subscription.
  task<void> refresh();
  /// The reader of a new consumer, and the reader that it replaces; null: there was none.
  struct Readers {
    std::shared_ptr<SubscriptionReader> connected;
    std::shared_ptr<SubscriptionReader> former;
  };
  /// A reader that begins after the last acknowledged event. The caller closes the former reader.
  /// It must not hold a lock then, because closing resumes a task that ends the proxy of the former
  /// reader. Called on a thread that serves a request, whose loop becomes the loop of the reader.
  /// Raises OBJECT_NOT_EXIST if the subscription has ended.
  [[nodiscard]] Readers connect();
  /// Acknowledges the events up to this number. Returns at once: one request of the store at a time
  /// is in progress, and later numbers wait for it. After a failure, which is logged, the request
  /// is made again when Options::retry_delay_max is over, or with the next acknowledgement or
  /// consumer.
  void acknowledge(SequenceNumber number);
  /// Does the same, and returns when this is durable. Raises the exceptions of the store.
  task<void> acknowledge_durably(SequenceNumber number);
  /// Raises BAD_PARAM for a number that was neither delivered nor acknowledged.
  void require_delivered(SequenceNumber number) const;
  [[nodiscard]] SequenceNumber acknowledged() const;

  void wake() override;
  /// Closes the reader.
  void end() override;
  /// Called when the reader is closed. Drops the reference to it.
  void forget(const SubscriptionReader& reader);

  void note_delivered(SequenceNumber number);
  [[nodiscard]] DurableLog& log() const noexcept { return *log_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

 private:
  /// Begins a request of the store if there is something to save and no request is in progress.
  void save();
  void saved(const std::expected<void, StoreError>& result, SequenceNumber number);
  /// Lets a task save again after a while, unless a task waits already.
  void save_later();
  static task<void> save_after(std::shared_ptr<SubscriptionFeed> self, event::Reactor& loop);

  const std::shared_ptr<DurableLog> log_;
  const std::string name_;
  mutable std::mutex mutex_;                    // guards the members below
  std::shared_ptr<SubscriptionReader> reader_;  // null if it is closed
  SequenceNumber acknowledged_;
  SequenceNumber saved_;
  SequenceNumber delivered_;
  event::Reactor* loop_ = nullptr;  // of the last reader; lives as long as the ORB
  bool is_saving_ = false;
  bool saves_later_ = false;
  bool has_ended_ = false;
};

/// Reads the events for one connected consumer, a part at a time. One task at a time waits. `close`
/// and `wake` may be called by any thread. A thread of the store may resume the tasks.
class SubscriptionReader : public std::enable_shared_from_this<SubscriptionReader> {
 public:
  SubscriptionReader(std::shared_ptr<SubscriptionFeed> feed, SequenceNumber position,
                     event::Reactor& loop);
  SubscriptionReader(const SubscriptionReader&) = delete;
  SubscriptionReader& operator=(const SubscriptionReader&) = delete;

  /// Waits for the next event. Empty if the reader is closed, the task is asked to stop, or at
  /// `expiry`. Raises TRANSIENT if another task waits.
  task<std::optional<NumberedEvent>> next(std::stop_token expiry = {});
  /// Takes the next event without waiting for a new one. Raises TRANSIENT if the store fails.
  task<std::optional<NumberedEvent>> try_next();
  /// Makes the first event after this number the next event.
  void move_to(SequenceNumber position);
  void wake();
  void close();
  [[nodiscard]] bool is_closed() const;
  /// The loop on which the tasks of the consumer run.
  [[nodiscard]] event::Reactor& loop() const noexcept { return loop_; }
  [[nodiscard]] SubscriptionFeed& feed() const noexcept { return *feed_; }

 private:
  enum class Wait : std::uint8_t { no, yes };
  using Waiter = std::shared_ptr<completion<>>;
  class Turn;

  task<std::optional<NumberedEvent>> take(Wait wait, std::stop_token expiry);
  /// Takes the next event of the part that was read. Skips events that cannot be decoded.
  [[nodiscard]] std::optional<NumberedEvent> take_read();
  enum class Part : std::uint8_t { read, none, failed };
  task<Part> read_more();
  /// Waits for this time. Ends earlier if the reader is closed, or the task is asked to stop.
  task<void> pause(Duration time, std::stop_token stop, std::stop_token expiry);
  /// Waits until `news()` is larger than `news`, the reader is closed, or the task is asked to
  /// stop.
  task<void> wait_for_news(std::uint64_t news, std::stop_token stop, std::stop_token expiry);
  [[nodiscard]] std::uint64_t news() const;
  [[nodiscard]] SequenceNumber position() const;

  const std::shared_ptr<SubscriptionFeed> feed_;
  event::Reactor& loop_;      // lives as long as the ORB
  mutable std::mutex mutex_;  // guards the members below
  std::deque<StoredEvent> read_;
  SequenceNumber position_;  // of the last event that was taken
  std::uint64_t news_ = 0;   // counts calls of `wake`
  Waiter waiter_;
  Waiter pause_;  // after a failure; new events do not end it
  bool is_in_use_ = false;
  bool is_closed_ = false;
};

}  // namespace perigee::events
