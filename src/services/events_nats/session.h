// What the parts of a store share: the connection, requests with time limits, and waiting tasks.
#pragma once

#include "services/events_nats/link.h"
#include "services/events_nats/mailbox.h"
#include "services/events_nats/messages.h"
#include "services/events_nats/nats_options.h"
#include <perigee/async/task.h>
#include <perigee/services/events/store.h>

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace perigee::events::nats {

/// Why a request got no answer.
enum class NoAnswer : std::uint8_t {
  not_sent,      ///< there is no connection, or no server has JetStream now
  lost_or_late,  ///< the connection was lost, or the time is over: the request may have been served
};
using Answer = std::expected<Message, NoAnswer>;
using OnAnswer = std::move_only_function<void(Answer)>;
/// An answer of JetStream's API, or the error when the time is over.
template <typename Value>
using ApiAnswer = std::expected<Value, StoreError>;

/// Wakes one waiting task early.
class Bell {
 public:
  void ring();

 private:
  friend class Session;
  std::function<void()> wake_;  // empty: no task waits
};

/// Keeps a text that repeats from filling the log.
class LogLimit {
 public:
  /// True at most once in 10 s.
  [[nodiscard]] bool may_write(TimePoint now) {
    if (now < next_) return false;
    next_ = now + interval;
    return true;
  }

 private:
  static constexpr std::chrono::seconds interval{10};
  TimePoint next_ = TimePoint::min();
};

/// Used only on the thread of the store, like all parts of a store that use a Session.
class Session {
 public:
  /// `options` outlives the session. Begins without a connection.
  Session(const NatsStoreOptions& options, std::string inbox);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const NatsStoreOptions& options() const { return options_; }
  [[nodiscard]] TimePoint now() const { return options_.clock->now(); }
  /// The subject for the messages of a part: `inbox`, the part's letter, and a number.
  [[nodiscard]] std::string inbox(char part, std::uint64_t number) const;

  // The connection.
  void on_up(std::shared_ptr<Link> link);
  void on_down();
  void on_failed(const StoreError& error) { last_failure_ = error; }
  /// False also after a message could not be sent, even before `on_down` comes.
  [[nodiscard]] bool is_up() const { return link_ != nullptr && !is_dead_; }
  /// Counts the connections. 0: there was none yet.
  [[nodiscard]] std::uint64_t connections() const { return connections_; }
  [[nodiscard]] const std::optional<StoreError>& last_failure() const { return last_failure_; }
  /// False: there is no connection, or it has ended while the message was sent.
  bool publish(const Publication& publication);
  /// Subscribes over this connection only. False: there is none.
  bool subscribe(const std::string& subject) { return is_up() && link_->subscribe(subject); }
  void unsubscribe(const std::string& subject) {
    if (link_ != nullptr) link_->unsubscribe(subject);
  }
  [[nodiscard]] std::size_t payload_max() const { return payload_max_; }

  // Requests.
  /// Sends `publication` with a subject for its answer. `done` is called once, at the latest after
  /// `time`; this may be before `send` returns.
  void send(Publication publication, std::chrono::milliseconds time, OnAnswer done);
  /// The same, for a task.
  [[nodiscard]] task<Answer> ask(Publication publication, std::chrono::milliseconds time);
  /// Asks several things at once. The answers have the order of the questions.
  [[nodiscard]] task<std::vector<Answer>> ask_all(std::vector<Publication> publications,
                                                  std::chrono::milliseconds time);
  /// A request to JetStream that may be repeated until it is answered, or until `end`.
  template <typename Value>
  [[nodiscard]] task<ApiAnswer<Parsed<Value>>> ask_api(std::string subject, std::string json,
                                                       TimePoint end,
                                                       Parsed<Value> (*parse)(std::string_view)) {
    for (;;) {
      Publication publication;
      publication.subject = "$JS.API." + subject;
      publication.octets = json;
      const Answer answer = co_await ask(std::move(publication), attempt_time(end));
      if (answer) {
        Parsed<Value> parsed = parse(answer->octets);
        if (parsed) co_return parsed;
        if (!parsed.error().is_temporary()) co_return parsed;
        note(parsed.error().text);
      }
      if (is_refused()) co_return std::unexpected(*last_failure_);
      if (is_ending_ || now() >= end) co_return std::unexpected(timed_out(subject));
      co_await pause(retry_delay);
    }
  }
  /// The error for a request without an answer, with what is known of the cause.
  [[nodiscard]] StoreError timed_out(const std::string& what) const;
  /// The time for one attempt of a request that must end at `end`.
  [[nodiscard]] std::chrono::milliseconds attempt_time(TimePoint end) const;
  void on_reply(Message message);

  // Waiting.
  [[nodiscard]] task<void> wait(Bell& bell, std::chrono::milliseconds time);
  [[nodiscard]] task<void> pause(std::chrono::milliseconds time);
  /// Runs what is due.
  void step();
  [[nodiscard]] TimePoint next_step() const;

  // Tasks that no task awaits.
  void start(task<void> work);
  [[nodiscard]] std::size_t tasks() const { return tasks_; }
  /// From now on, all requests fail and all waits end at once.
  void end();
  [[nodiscard]] bool is_ending() const { return is_ending_; }

  static constexpr std::chrono::milliseconds retry_delay{50};

 private:
  struct Waiting {
    OnAnswer done;
    std::multimap<TimePoint, Task>::iterator timer;
  };
  using Timers = std::multimap<TimePoint, Task>;

  /// Whether the servers have refused all attempts to connect: a further one is useless.
  [[nodiscard]] bool is_refused() const {
    return connections_ == 0 && last_failure_ && last_failure_->kind == StoreError::Kind::failed;
  }
  void finish(std::uint64_t token, Answer answer);
  void fail_all(NoAnswer why);
  void note(std::string text);

  const NatsStoreOptions& options_;
  const std::string inbox_;
  std::shared_ptr<Link> link_;
  bool is_dead_ = false;  // the link could not send a message
  std::size_t payload_max_ = 0;
  std::uint64_t connections_ = 0;
  std::optional<StoreError> last_failure_;
  std::uint64_t last_token_ = 0;
  std::unordered_map<std::uint64_t, Waiting> waiting_;  // by the token in the subject for answers
  Timers timers_;
  std::size_t tasks_ = 0;
  bool is_ending_ = false;
};

}  // namespace perigee::events::nats
