// The subscriptions of one channel: how far each of them has got.
#pragma once

#include "services/events_nats/keys.h"
#include "services/events_nats/records.h"
#include "services/events_nats/session.h"
#include <perigee/async/task.h>
#include <perigee/services/events/store.h>

#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perigee::events::nats {

/// Each subscription is the newest message of a subject of its own. A change is made only if this
/// message has not changed since it was read: its sequence number, the revision, is a condition of
/// the new message. So the services of a channel never overwrite each other's changes.
///
/// A replica of the stream may answer a read with an old message. A change then fails, and is made
/// again with a new read.
class Subscriptions {
 public:
  struct Place {
    std::string channel;
    std::string stream;       ///< of the channel
    std::string stream_made;  ///< when it was made
  };
  /// `keys` outlives the subscriptions.
  Subscriptions(Session& session, const Keys& keys, Place place)
      : session_(session), keys_(keys), place_(std::move(place)) {}
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;

  /// Makes or finds the subscription. `last`: the newest event that is known.
  [[nodiscard]] task<std::expected<Subscription, StoreError>> subscribe(std::string name,
                                                                        Begin begin,
                                                                        SequenceNumber last,
                                                                        TimePoint end);
  [[nodiscard]] task<std::expected<void, StoreError>> unsubscribe(std::string name, TimePoint end);
  [[nodiscard]] task<std::expected<std::vector<Subscription>, StoreError>> list(TimePoint end);
  /// Whether this channel has the subscription. Asks NATS only if this store has not used it.
  [[nodiscard]] task<std::expected<void, StoreError>> require(std::string name, TimePoint end);
  /// `done` is called when the number is stored. While a change is made, further numbers wait, and
  /// the largest of them is stored next.
  void acknowledge(const std::string& name, SequenceNumber number, TimePoint end,
                   Receive<void> done);
  /// Whether a number was acknowledged since the last call.
  [[nodiscard]] bool take_progress() { return std::exchange(has_progress_, false); }

 private:
  /// The newest message of a subscription.
  struct Stored {
    std::uint64_t revision = 0;  // 0: there is none
    SubscriptionRecord record;
  };
  struct Acknowledgement {
    SequenceNumber number = 0;
    TimePoint end;
    Receive<void> done;
  };
  /// A subscription that this store uses.
  struct Used {
    std::optional<Stored> stored;  // as far as it is known
    std::deque<Acknowledgement> waiting;
    bool is_writing = false;
    bool may_be_written = false;  // an attempt had no answer
  };
  enum class Written : std::uint8_t { done, conflict, no_answer };

  [[nodiscard]] Publication question(const std::string& subject) const;
  [[nodiscard]] std::expected<Stored, StoreError> to_stored(const Message& message,
                                                            const std::string& what) const;
  [[nodiscard]] task<std::expected<Stored, StoreError>> load(std::string name, TimePoint end);
  /// Stores the record if the revision is still the same, and sets the new revision.
  [[nodiscard]] task<std::expected<Written, StoreError>> store(Stored& stored, TimePoint end);
  [[nodiscard]] task<std::expected<void, StoreError>> require_room(TimePoint end);
  [[nodiscard]] task<std::expected<SequenceNumber, StoreError>> begin_of(Begin begin,
                                                                         SequenceNumber last,
                                                                         TimePoint end);
  [[nodiscard]] task<std::expected<std::vector<std::string>, StoreError>> subjects(TimePoint end);
  [[nodiscard]] task<void> write(std::string name);
  [[nodiscard]] task<std::expected<void, StoreError>> write_once(std::string name,
                                                                 SequenceNumber number,
                                                                 TimePoint end);
  void finish(Used& used, SequenceNumber up_to);
  void fail(Used& used, const StoreError& error);
  [[nodiscard]] StoreError no_subscription(const std::string& name) const;
  [[nodiscard]] std::string text_of(const std::string& name) const;

  Session& session_;
  const Keys& keys_;
  const Place place_;
  std::map<std::string, Used, std::less<>> used_;  // nodes stay while tasks refer to them
  bool has_progress_ = false;
};

}  // namespace perigee::events::nats
