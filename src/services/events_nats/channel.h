// One channel of a store in NATS: its parts, and the removal of events that are done.
#pragma once

#include "services/events_nats/appending.h"
#include "services/events_nats/event_marks.h"
#include "services/events_nats/following.h"
#include "services/events_nats/keys.h"
#include "services/events_nats/reading.h"
#include "services/events_nats/session.h"
#include "services/events_nats/subscriptions.h"
#include <perigee/async/task.h>
#include <perigee/services/events/store.h>

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perigee::events::nats {

/// On the thread of the store. Each request ends at its `end`.
class Channel {
 public:
  struct Place {
    std::string name;
    std::uint64_t number = 0;  ///< in the subjects of its messages
    std::string store;         ///< begins the ids of messages; no other store has the same
    std::string secret;        ///< the key of these ids
  };
  /// `info`: of the channel's stream. `keys` and `budget` outlive the channel.
  Channel(Session& session, const Keys& keys, ReadBudget& budget, const Place& place,
          const StreamInfo& info, EventListener listener);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Starts the tasks of the channel.
  void start();
  /// Replaces the listener. Fails if the channel cannot go on.
  [[nodiscard]] std::expected<void, StoreError> open_again(EventListener listener);
  void append(std::string octets, TimePoint end, Receive<SequenceNumber> done) {
    appending_.add(std::move(octets), end, std::move(done));
  }
  [[nodiscard]] task<void> subscribe(std::string name, Begin begin, TimePoint end,
                                     Receive<Subscription> done);
  [[nodiscard]] task<void> position(std::string name, TimePoint end, Receive<Subscription> done);
  [[nodiscard]] task<void> unsubscribe(std::string name, TimePoint end, Receive<void> done);
  [[nodiscard]] task<void> subscriptions(TimePoint end, Receive<std::vector<Subscription>> done);
  [[nodiscard]] task<void> read(std::string name, SequenceNumber after, Reading::Limits limits,
                                TimePoint end, Receive<std::vector<StoredEvent>> done);
  void acknowledge(const std::string& name, SequenceNumber number, TimePoint end,
                   Receive<void> done);

  void on_connection_changed() { following_.on_connection_changed(); }
  void on_acknowledgement(std::uint64_t count, const Message& message) {
    appending_.on_answer(count, message);
  }
  void on_pushed(std::uint64_t consumer, Message message) {
    following_.on_message(consumer, std::move(message));
  }
  void step() { appending_.step(); }
  [[nodiscard]] TimePoint next_step() const { return appending_.next_step(); }
  [[nodiscard]] std::uint64_t sent_again() const { return appending_.sent_again(); }
  [[nodiscard]] std::uint64_t consumers_made() const { return following_.consumers_made(); }

 private:
  void on_broken(const StoreError& error);
  [[nodiscard]] task<void> trim_repeatedly();
  /// False: events that are done may be left.
  [[nodiscard]] task<bool> trim();
  void warn_of_trim(const std::string& text);

  Session& session_;
  const std::string stream_;
  EventListener listener_;
  KnownEvents known_;  // outlives the parts that refer to it
  Following following_;
  Appending appending_;
  Subscriptions subscriptions_;
  Reading reading_;
  SequenceNumber trimmed_ = 0;  // events up to this number were removed
  std::optional<StoreError> broken_;
  LogLimit warnings_;
};

}  // namespace perigee::events::nats
