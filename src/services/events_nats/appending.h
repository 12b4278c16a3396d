// Appends the events of one channel to its stream.
#pragma once

#include "services/events_nats/message_ids.h"
#include "services/events_nats/session.h"
#include <perigee/services/events/store.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::events::nats {

/// Sends events in the order of `add`, and several of them before the first acknowledgement. The
/// acknowledgements have the same order.
///
/// After a fault, the events without an acknowledgement are sent again, in their order. NATS
/// recognises an event that it has by its message id. An event is not sent again after a later
/// event of this channel was stored, because that would change the order: its result is
/// `uncertain`. An event that NATS has refused is sent again when all events after it have
/// answers, or after the time of an attempt. The order can change only if NATS stores an event
/// later than that: a warning is then written. The listener of the channel also gets the events, so
/// an event whose acknowledgement was lost still has a result. Results come after the listener has
/// got the event.
///
/// A stream that has lost its newest events gives their numbers to new events, which the listener
/// then misses. So events are sent only over a connection for which `on_checked` was called. An
/// acknowledgement with a number of which the listener got another event has the result
/// `uncertain`, and the stream is checked again.
class Appending {
 public:
  struct Place {
    std::string subject;      ///< of the channel
    MessageIds ids;           ///< of the events
    std::string inbox;        ///< the subject for acknowledgements, without the number
    SequenceNumber last = 0;  ///< of the stream: the listener gets the events after it
  };
  /// Is called when the stream must be checked before further events are sent.
  using OnDoubt = std::function<void()>;

  Appending(Session& session, Place place, OnDoubt on_doubt)
      : session_(session),
        place_(std::move(place)),
        on_doubt_(std::move(on_doubt)),
        heard_(place_.last) {}
  Appending(const Appending&) = delete;
  Appending& operator=(const Appending&) = delete;

  void add(std::string octets, TimePoint end, Receive<SequenceNumber> done);
  /// An acknowledgement, or an error. `count` is the number in its subject.
  void on_answer(std::uint64_t count, const Message& message);
  /// The listener of the channel has got this event. Results wait for it.
  void on_heard(std::string_view message_id, SequenceNumber number);
  /// The stream has all events that the listener got, as seen over the present connection.
  void on_checked();
  /// Sends events, and ends those whose time is over.
  void step();
  [[nodiscard]] TimePoint next_step() const;
  /// Fails all events, and later ones at once. Events that NATS may have are `uncertain`.
  void fail(const StoreError& error);
  [[nodiscard]] std::uint64_t sent_again() const { return sent_again_; }

 private:
  struct Entry {
    std::string octets;
    TimePoint end;
    Receive<SequenceNumber> done;  // empty: the event has its result
    unsigned open_attempts = 0;    // sent, and NATS has not said that it did not store the event
    std::optional<TimePoint> overtaken;  // since a later event is stored; not sent again
    SequenceNumber number = 0;           // is stored; the result waits for the listener
  };

  /// The error of an event whose time is over.
  [[nodiscard]] StoreError no_result(const Entry& entry) const;
  /// The error of an event that NATS has refused now.
  [[nodiscard]] static StoreError refusal(const Entry& entry, const ApiError& error);
  /// The error of an event when the channel has failed.
  [[nodiscard]] static StoreError failure_of(const Entry& entry, const StoreError& error);
  [[nodiscard]] TimePoint end_of(const Entry& entry) const;
  /// Whether the stream was checked over the present connection.
  [[nodiscard]] bool is_checked() const {
    return session_.is_up() && checked_ == session_.connections();
  }
  [[nodiscard]] bool may_send() const;
  /// Whether an event that was sent after a refused one may still be stored.
  [[nodiscard]] bool awaits_later_answers() const;
  /// The leader was not ready: the event is sent again later.
  void on_not_ready(Entry& entry);
  void send(std::size_t at);
  /// Sends the events without a result again, from the first one on.
  void send_again();
  /// The entry of an event, or nullptr if it has its result.
  [[nodiscard]] Entry* find(std::uint64_t count);
  /// Notes that an event is stored.
  void note_stored(std::uint64_t count, SequenceNumber number);
  /// Writes to the log that NATS has stored an event after a later one.
  void warn_of_order(std::uint64_t count, SequenceNumber number);
  /// Whether the listener got no event of this number, because it was removed before.
  [[nodiscard]] bool was_passed_over(SequenceNumber number) const;
  /// Ends the stored events up to `heard_`. `own` is the event of this store that was heard now.
  void finish_heard(std::uint64_t own);
  /// The listener got another event of the number that this event has.
  void doubt(std::uint64_t count, SequenceNumber number);
  void finish(std::uint64_t count, std::expected<SequenceNumber, StoreError> result);
  void remove_done();
  void expire(TimePoint now);

  Session& session_;
  const Place place_;
  const OnDoubt on_doubt_;
  // entries_[i] has the count first_ + i. The first sent_ of them were sent over this connection.
  std::deque<Entry> entries_;
  std::uint64_t first_ = 1;
  std::size_t sent_ = 0;
  std::size_t sent_octets_ = 0;  // of the first sent_ entries
  SequenceNumber heard_;         // the listener has got the events up to this number
  /// Numbers that the listener did not get, as the first and the last one of each row.
  std::deque<std::pair<SequenceNumber, SequenceNumber>> passed_over_;
  std::uint64_t checked_ = 0;  // the connection over which the stream was checked
  std::map<SequenceNumber, std::uint64_t> unheard_;  // stored events beyond it: number and count
  /// The stored event with the largest count, and its number.
  std::pair<std::uint64_t, SequenceNumber> newest_stored_{0, 0};
  LogLimit warnings_;
  TimePoint progress_{};       // when the first of the events without a result was sent
  TimePoint blocked_until_{};  // nothing is sent before: NATS was not ready
  TimePoint last_sent_{};
  bool has_refused_ = false;  // since the events were sent in their order
  std::uint64_t sent_again_ = 0;
  std::optional<StoreError> failure_;
};

}  // namespace perigee::events::nats
