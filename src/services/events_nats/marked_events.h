// Whether a stream still has the events that a subscription has marked.
#pragma once

#include "services/events_nats/event_marks.h"
#include "services/events_nats/following.h"
#include "services/events_nats/read_budget.h"
#include "services/events_nats/records.h"
#include "services/events_nats/session.h"
#include <perigee/async/task.h>
#include <perigee/services/events/store.h>

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace perigee::events::nats {

/// The leader of the stream is asked for a marked event, unless the channel has got it. A marked
/// event that the stream no longer has was removed after its acknowledgement, or by a limit: the
/// services remove events only when all records are valid.
class MarkedEvents {
 public:
  /// `following`, `known` and `budget` outlive this object. `budget` limits the octets of the
  /// answers, because each of them has a whole event.
  MarkedEvents(Session& session, const Following& following, KnownEvents& known, ReadBudget& budget,
               std::string stream)
      : session_(session),
        following_(following),
        known_(known),
        budget_(budget),
        stream_(std::move(stream)) {}
  MarkedEvents(const MarkedEvents&) = delete;
  MarkedEvents& operator=(const MarkedEvents&) = delete;

  /// The number of the last acknowledged event. If the stream has lost events, that of the newest
  /// marked event that it still has. std::nullopt: not known yet, because a new leader of several
  /// replicas may be behind.
  [[nodiscard]] task<std::expected<std::optional<SequenceNumber>, StoreError>> position(
      SubscriptionRecord record, TimePoint end);
  /// Whether the stream has lost none of the acknowledged events, as far as this is known without a
  /// request.
  [[nodiscard]] bool is_known_valid(const SubscriptionRecord& record) const;
  /// Asks for these events, several at once. `position` asks again for those without an answer.
  [[nodiscard]] task<void> learn(Marks marks, TimePoint end);
  /// The mark of an event that is acknowledged now. `no_id`: the event has no message id or was
  /// removed, the stream is not checked, or there is no answer in time. The record then gets no
  /// mark for this number, and the acknowledgement goes on.
  [[nodiscard]] task<Mark> mark_of(SequenceNumber number, TimePoint end);

 private:
  /// The stream ends before an acknowledged event.
  struct Behind {
    SequenceNumber number = 0;  // of the newest such event
    TimePoint since;
    TimePoint seen;  // the last time
  };

  /// Whether the stream may have events that its leader does not have yet. False when this has
  /// lasted for `stream_missing_max`.
  [[nodiscard]] bool may_be_behind(const StreamInfo& info, SequenceNumber acknowledged);
  [[nodiscard]] Publication question(SequenceNumber number) const;
  /// The size of the largest answer, which has an event in base64.
  [[nodiscard]] std::size_t answer_octets_max() const { return session_.payload_max() / 3 * 4 + 4; }
  /// Waits for room for the answers to at most `wanted` questions. 0: there is none before `end`.
  [[nodiscard]] task<std::size_t> take_room(std::size_t wanted, std::size_t octets_each,
                                            TimePoint end);
  /// Asks for these events at once.
  [[nodiscard]] task<void> ask_for(Marks marks, TimePoint end);
  /// The sum of the event that the stream has in the place of a marked one.
  [[nodiscard]] task<std::expected<IdSum, StoreError>> sum_in_stream(Mark mark, TimePoint end);

  Session& session_;
  const Following& following_;
  KnownEvents& known_;
  ReadBudget& budget_;
  const std::string stream_;
  std::optional<Behind> behind_;
};

}  // namespace perigee::events::nats
