// The subscriptions of one channel: how far each of them has got.
#pragma once

#include "services/events_nats/event_marks.h"
#include "services/events_nats/following.h"
#include "services/events_nats/keys.h"
#include "services/events_nats/marked_events.h"
#include "services/events_nats/read_budget.h"
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
/// The leader of the stream answers all reads: another replica may have an old message, or not have
/// a new one yet.
///
/// A record has marks of acknowledged events. If the stream has another event of such a number, or
/// ends before the acknowledged one, it has lost events. The subscription then goes on after the
/// newest marked event that the stream still has.
class Subscriptions {
 public:
  struct Place {
    std::string channel;
    std::string stream;       ///< of the channel
    std::string stream_made;  ///< when it was made
  };
  /// `keys`, `following`, `known` and `budget` outlive the subscriptions.
  Subscriptions(Session& session, const Keys& keys, const Following& following, KnownEvents& known,
                ReadBudget& budget, Place place)
      : session_(session),
        keys_(keys),
        following_(following),
        marked_(session, following, known, budget, place.stream),
        place_(std::move(place)) {}
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;

  struct List {
    std::vector<Subscription> subscriptions;
    bool is_complete = true;  ///< false: some records or positions are not known now
  };

  /// Makes or finds the subscription.
  [[nodiscard]] task<std::expected<Subscription, StoreError>> subscribe(std::string name,
                                                                        Begin begin, TimePoint end);
  /// What NATS has now: other services of the channel may have changed it.
  [[nodiscard]] task<std::expected<Subscription, StoreError>> find(std::string name, TimePoint end);
  [[nodiscard]] task<std::expected<void, StoreError>> unsubscribe(std::string name, TimePoint end);
  [[nodiscard]] task<std::expected<List, StoreError>> list(TimePoint end);
  /// Whether this channel has the subscription. Asks NATS only if this store has not used it.
  [[nodiscard]] task<std::expected<void, StoreError>> require(std::string name, TimePoint end);
  /// `done` is called when the number is stored. While a change is made, further numbers wait, and
  /// the largest of them is stored next.
  void acknowledge(const std::string& name, SequenceNumber number, TimePoint end,
                   Receive<void> done);
  /// Whether events may have become removable since the last call.
  [[nodiscard]] bool take_progress() { return std::exchange(has_progress_, false); }
  /// Called if the events that are done were not removed: the next take_progress returns true.
  void put_progress_back() { has_progress_ = true; }

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
  };
  enum class Written : std::uint8_t { done, conflict, no_answer };
  enum class Removed : std::uint8_t { done, changed, no_answer };

  [[nodiscard]] Publication question(const std::string& subject) const;
  /// The newest message of a subject. Its number is 0 if there is none.
  [[nodiscard]] task<std::expected<LeaderMessage, StoreError>> load_message(std::string subject,
                                                                            TimePoint end);
  [[nodiscard]] std::expected<Stored, StoreError> to_stored(const LeaderMessage& message,
                                                            const std::string& subject,
                                                            const std::string& what) const;
  [[nodiscard]] task<std::expected<Stored, StoreError>> load(std::string name, TimePoint end);
  /// The same, for a position that the stream has. After a loss of the newest events of the stream,
  /// the record is written again: other events have their numbers, or will get them. A leader of
  /// several replicas that may be behind is asked again until `end`.
  [[nodiscard]] task<std::expected<Stored, StoreError>> load_valid(std::string name, TimePoint end);
  /// Reads what a subject has. The revision is 0 if there is nothing, or nothing that can be read.
  [[nodiscard]] task<std::expected<Stored, StoreError>> read_listed(List& list, std::string subject,
                                                                    Answer answer, TimePoint end);
  /// Adds a subscription to the list. A record is written again only after a certain loss: new
  /// events could take the lost numbers before the subscription is used.
  [[nodiscard]] task<std::expected<void, StoreError>> add_to(List& list, Stored stored,
                                                             TimePoint end);
  /// Makes a later use read the record, unless a change is being made.
  void use(const std::string& name, Stored stored);
  void forget_unused(const std::string& name);
  /// Stores the record if the revision is still the same, and sets the new revision.
  [[nodiscard]] task<std::expected<Written, StoreError>> store(Stored& stored, TimePoint end);
  /// Removes the messages of a subject up to this number.
  [[nodiscard]] task<std::expected<Removed, StoreError>> remove(std::string subject,
                                                                SequenceNumber number,
                                                                TimePoint end);
  [[nodiscard]] task<std::expected<void, StoreError>> require_room(TimePoint end);
  [[nodiscard]] task<std::expected<SequenceNumber, StoreError>> begin_of(Begin begin,
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
  const Following& following_;
  MarkedEvents marked_;
  const Place place_;
  std::map<std::string, Used, std::less<>> used_;  // nodes stay while tasks refer to them
  bool has_progress_ = true;  // at first: earlier services may have left events that are done
  LogLimit warnings_;
};

}  // namespace perigee::events::nats
