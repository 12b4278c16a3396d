// Follows the stream of one channel: gives each new event to the listener, once and in order.
#pragma once

#include "services/events_nats/event_marks.h"
#include "services/events_nats/recent.h"
#include "services/events_nats/session.h"
#include <perigee/async/task.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace perigee::events::nats {

/// An ordered consumer of JetStream pushes the events. It has no state of its own that matters:
/// after a lost connection, a lost message, or missing heartbeats, another consumer begins after
/// the last event that was seen. So there is no gap, and no event comes twice. Events that a limit
/// removes before they come are passed over when the leader of the stream says so.
class Following {
 public:
  struct Place {
    std::string stream;
    std::string subject;  ///< of the events
    std::string inbox;    ///< the subject for pushed messages, without the number of the consumer
  };
  struct Events {
    /// Each event, with its message id.
    std::function<void(const StoredEvent&, std::string_view message_id)> heard;
    /// The stream is the same one, with all events that were heard, as seen over the present
    /// connection.
    std::function<void()> checked;
    /// The stream is gone, or another stream has its name: the channel cannot go on.
    std::function<void(const StoreError&)> broken;
  };
  /// `info`: of the stream. Its last event is not passed on. `known` gets the message ids of all
  /// events, and outlives this object.
  Following(Session& session, Place place, const StreamInfo& info, KnownEvents& known,
            Events events);
  Following(const Following&) = delete;
  Following& operator=(const Following&) = delete;

  /// Runs until the session ends or the stream is gone.
  [[nodiscard]] task<void> run();
  /// A message for the consumer with this number.
  void on_message(std::uint64_t consumer, Message message);
  void on_connection_changed() { bell_.ring(); }
  /// Checks the stream again, and calls `checked` or `broken` then.
  void check_again() {
    needs_check_ = true;
    report_gap();
  }

  /// Whether the stream was checked over the present connection: it is the same one, with all
  /// events that the listener got.
  [[nodiscard]] bool is_checked() const {
    return session_.is_up() && checked_ == session_.connections() && !needs_check_ && !is_broken_;
  }
  /// When the stream was made.
  [[nodiscard]] const std::string& made() const { return made_; }
  /// The number of the newest event that the listener got, or of the last one before it began.
  [[nodiscard]] SequenceNumber last() const { return last_; }
  [[nodiscard]] const Recent& recent() const { return recent_; }
  [[nodiscard]] std::uint64_t consumers_made() const { return consumer_; }

 private:
  /// Why the stream cannot be followed now. Without a text: it can.
  struct Fault {
    std::string text;
    bool may_pass = false;
    bool lasts_at_most = false;  // the fault ends the channel after `stream_missing_max`
  };

  [[nodiscard]] task<bool> check_stream();
  /// Whether the stream still has the event that the listener got last.
  [[nodiscard]] task<bool> check_last();
  [[nodiscard]] Fault fault_of(const Parsed<StreamInfo>& info) const;
  void break_channel(const Fault& fault);
  void warn(const std::string& text);
  [[nodiscard]] task<bool> make_consumer();
  [[nodiscard]] task<void> await_fault();
  [[nodiscard]] bool has_fault() const;
  /// Asks the leader whether the events before the first held one are removed.
  [[nodiscard]] task<void> check_jump();
  /// Passes the event on, or holds it after a jump in the numbers.
  void take(SequenceNumber number, Message message);
  void pass_on(SequenceNumber number, Message message);
  void remove_consumer();
  void on_status(const Message& message);
  void report_gap();

  Session& session_;
  const Place place_;
  KnownEvents& known_;
  const Events events_;
  const std::string made_;
  SequenceNumber last_;
  std::string last_id_;  // the message id of this event; empty: none is known
  Recent recent_;
  Bell bell_;  // the connection has changed, or there is a gap
  bool is_broken_ = false;
  std::optional<TimePoint> missing_since_;  // the stream cannot be followed
  LogLimit warnings_;

  std::uint64_t consumer_ = 0;  // counts the consumers
  std::string subject_;         // of the subscription that gets its messages
  std::string consumer_name_;
  std::uint64_t connection_ = 0;     // over which the consumer pushes
  std::uint64_t consumer_last_ = 0;  // the consumer's number of its last message that came
  bool has_gap_ = false;
  std::uint64_t checked_ = 0;  // the connection over which the stream was checked last
  bool needs_check_ = false;   // of the stream, since its last check began
  /// Events after missing numbers. They wait until the leader has confirmed that these numbers are
  /// missing.
  struct Held {
    SequenceNumber number = 0;
    Message message;
  };
  std::deque<Held> held_;
  std::size_t held_octets_ = 0;
  TimePoint heard_{};  // when the last message of the consumer came
};

}  // namespace perigee::events::nats
