// Reads and writes the messages of subscriptions.
#include "services/events_nats/subscriptions.h"

#include "services/events_nats/streams.h"
#include <perigee/base/log.h>
#include <perigee/base/printable.h>

#include <algorithm>
#include <chrono>

namespace perigee::events::nats {

namespace {

using Kind = StoreError::Kind;

constexpr std::size_t questions_at_once = 64;
constexpr std::chrono::milliseconds behind_delay{250};  // until a leader is asked again
// Beyond the limit of subscriptions: several services may exceed it together.
constexpr std::size_t further_subjects_max = 10'000;

void go_back(SubscriptionRecord& record, SequenceNumber number) {
  record.acknowledged = number;
  remove_marks_behind(record.marks, number);
}

StoreError no_answer(const std::string& what) {
  return {Kind::uncertain, what + ": NATS did not confirm the change in time"};
}

StoreError behind(const std::string& what) {
  return {Kind::unavailable, what + ": NATS does not have all acknowledged events yet"};
}

StoreError too_many(const std::string& channel, std::size_t most) {
  return {Kind::full, "the channel '" + printable(channel) + "' has " + std::to_string(most) +
                          " subscriptions; end those that are not used"};
}

StoreError too_many_records(const std::string& channel) {
  return {Kind::corrupt, "NATS has too many records of subscriptions of the channel '" +
                             printable(channel) + "'; remove those that no service has made"};
}

}  // namespace

std::string Subscriptions::text_of(const std::string& name) const {
  return "subscription '" + printable(name) + "' of channel '" + printable(place_.channel) + "'";
}

StoreError Subscriptions::no_subscription(const std::string& name) const {
  return {Kind::no_subscription, "there is no " + text_of(name)};
}

Publication Subscriptions::question(const std::string& subject) const {
  Publication publication;
  publication.subject = "$JS.API.STREAM.MSG.GET." + keys_.subscriptions_stream();
  publication.octets = get_last_json(subject);
  return publication;
}

task<std::expected<LeaderMessage, StoreError>> Subscriptions::load_message(std::string subject,
                                                                           TimePoint end) {
  const auto found = co_await session_.ask_api("STREAM.MSG.GET." + keys_.subscriptions_stream(),
                                               get_last_json(subject), end, parse_leader_message);
  if (!found) co_return std::unexpected(found.error());
  if (*found) co_return **found;
  if (found->error().is(ErrorCode::no_message)) co_return LeaderMessage();
  co_return std::unexpected(to_store_error(found->error(), "NATS: '" + printable(subject) + "'"));
}

std::expected<Subscriptions::Stored, StoreError> Subscriptions::to_stored(
    const LeaderMessage& message, const std::string& subject, const std::string& what) const {
  Stored stored;
  if (message.number == 0) return stored;
  auto record = decode(message.octets);
  if (!record && record.error() == Kind::newer)
    return std::unexpected(
        StoreError{Kind::newer, what + ": a later version of Perigee has written it"});
  // A record of another subscription at this subject would redirect the acknowledgements.
  if (!record || keys_.subscription(place_.channel, record->name) != subject)
    return std::unexpected(StoreError{
        Kind::corrupt, what + ": its record in NATS is damaged; end it, and make it again"});
  stored.revision = message.number;
  stored.record = std::move(*record);
  // It belongs to an earlier stream of this name, so it begins again.
  if (stored.record.stream_made != place_.stream_made) go_back(stored.record, 0);
  stored.record.stream_made = place_.stream_made;
  return stored;
}

task<std::expected<Subscriptions::Stored, StoreError>> Subscriptions::load(std::string name,
                                                                           TimePoint end) {
  const std::string subject = keys_.subscription(place_.channel, name);
  const auto message = co_await load_message(subject, end);
  if (!message) co_return std::unexpected(message.error());
  co_return to_stored(*message, subject, text_of(name));
}

task<std::expected<Subscriptions::Stored, StoreError>> Subscriptions::load_valid(std::string name,
                                                                                 TimePoint end) {
  bool is_behind = false;
  while (session_.now() < end && !session_.is_ending()) {
    auto stored = co_await load(name, end);
    if (!stored) co_return stored;
    const auto position = co_await marked_.position(stored->record, end);
    if (!position) co_return std::unexpected(position.error());
    is_behind = !position->has_value();
    if (is_behind) {
      has_progress_ = true;  // the list for the next removal asks again
      co_await session_.pause(behind_delay);
      continue;
    }
    const SequenceNumber valid = **position;
    if (valid == stored->record.acknowledged) co_return stored;
    log::write(log::Level::warning, "events",
               "NATS: the " + text_of(name) + " has acknowledged event " +
                   std::to_string(stored->record.acknowledged) +
                   ", but its stream has lost events; it goes on after event " +
                   std::to_string(valid));
    go_back(stored->record, valid);
    const auto written = co_await store(*stored, end);
    if (!written) co_return std::unexpected(written.error());
    if (*written == Written::done) co_return stored;
    co_await session_.pause(Session::retry_delay);
  }
  if (is_behind) co_return std::unexpected(behind(text_of(name)));
  co_return std::unexpected(session_.timed_out(text_of(name)));
}

task<std::expected<Subscriptions::Written, StoreError>> Subscriptions::store(Stored& stored,
                                                                             TimePoint end) {
  Publication publication;
  publication.subject = keys_.subscription(place_.channel, stored.record.name);
  publication.octets = encode(stored.record);
  publication.headers.emplace_back("Nats-Expected-Last-Subject-Sequence",
                                   std::to_string(stored.revision));
  const Answer answer = co_await session_.ask(std::move(publication), session_.attempt_time(end));
  if (!answer) {
    if (answer.error() == NoAnswer::not_sent) co_return Written::conflict;
    co_return Written::no_answer;
  }
  const auto published = parse_publish(answer->octets);
  if (published) {
    stored.revision = published->number;
    co_return Written::done;
  }
  const ApiError& error = published.error();
  if (error.is(ErrorCode::wrong_last_sequence)) co_return Written::conflict;
  if (error.is_temporary()) co_return Written::conflict;
  co_return std::unexpected(to_store_error(error, text_of(stored.record.name)));
}

/// The number before the first event of a new subscription.
task<std::expected<SequenceNumber, StoreError>> Subscriptions::begin_of(Begin begin,
                                                                        TimePoint end) {
  if (begin == Begin::first_event) co_return SequenceNumber{0};
  const auto info = co_await stream_info(session_, place_.stream, end);
  if (!info) co_return std::unexpected(info.error());
  co_return std::max(info->last, following_.last());
}

task<std::expected<Subscription, StoreError>> Subscriptions::subscribe(std::string name,
                                                                       Begin begin, TimePoint end) {
  bool may_be_written = false;
  while (session_.now() < end && !session_.is_ending()) {
    auto stored = co_await load_valid(name, end);
    if (!stored) co_return std::unexpected(stored.error());
    if (stored->revision == 0) {
      const auto has_room = co_await require_room(end);
      if (!has_room) co_return std::unexpected(has_room.error());
      const auto number = co_await begin_of(begin, end);
      if (!number) co_return std::unexpected(number.error());
      stored->record.stream_made = place_.stream_made;
      stored->record.acknowledged = *number;
      const Mark mark = co_await marked_.mark_of(*number, end);
      add_mark(stored->record.marks, mark);
      stored->record.name = name;
      const auto written = co_await store(*stored, end);
      if (!written) co_return std::unexpected(written.error());
      if (*written == Written::no_answer) may_be_written = true;
      if (*written != Written::done) {
        co_await session_.pause(Session::retry_delay);
        continue;
      }
    }
    use(name, *stored);
    Subscription subscription;
    subscription.acknowledged = stored->record.acknowledged;
    subscription.name = std::move(name);
    co_return subscription;
  }
  if (may_be_written) co_return std::unexpected(no_answer(text_of(name)));
  co_return std::unexpected(session_.timed_out(text_of(name)));
}

task<std::expected<Subscription, StoreError>> Subscriptions::find(std::string name, TimePoint end) {
  auto stored = co_await load_valid(name, end);
  if (!stored) co_return std::unexpected(stored.error());
  if (stored->revision == 0) co_return std::unexpected(no_subscription(name));
  Subscription subscription;
  subscription.acknowledged = stored->record.acknowledged;
  use(name, std::move(*stored));
  subscription.name = std::move(name);
  co_return subscription;
}

void Subscriptions::use(const std::string& name, Stored stored) {
  Used& used = used_[name];
  if (used.is_writing) return;  // it reads the record itself after a conflict
  used.stored = std::move(stored);
}

void Subscriptions::forget_unused(const std::string& name) {
  const auto found = used_.find(name);
  if (found == used_.end()) return;
  const Used& used = found->second;
  if (!used.is_writing && !used.stored && used.waiting.empty()) used_.erase(found);
}

task<std::expected<void, StoreError>> Subscriptions::require_room(TimePoint end) {
  const std::size_t most = session_.options().subscriptions_max;
  const auto all = co_await subjects(end);
  if (!all) co_return std::unexpected(all.error());
  if (all->size() < most) co_return std::expected<void, StoreError>();
  co_return std::unexpected(too_many(place_.channel, most));
}

task<std::expected<void, StoreError>> Subscriptions::require(std::string name, TimePoint end) {
  const auto found = used_.find(name);
  if (found != used_.end() && found->second.stored) co_return std::expected<void, StoreError>();
  const auto subscription = co_await find(std::move(name), end);
  if (!subscription) co_return std::unexpected(subscription.error());
  co_return std::expected<void, StoreError>();
}

/// Removes only the messages up to the number that was read: another client may make the
/// subscription again before a repeated removal.
task<std::expected<void, StoreError>> Subscriptions::unsubscribe(std::string name, TimePoint end) {
  const std::string subject = keys_.subscription(place_.channel, name);
  bool may_be_removed = false;  // a removal had no answer
  while (session_.now() < end && !session_.is_ending()) {
    const auto message = co_await load_message(subject, end);
    if (!message && may_be_removed) break;
    if (!message) co_return std::unexpected(message.error());
    if (message->number == 0 && !may_be_removed) co_return std::unexpected(no_subscription(name));
    auto removed = Removed::done;
    if (message->number != 0) {
      const auto result = co_await remove(subject, message->number, end);
      if (!result) co_return std::unexpected(result.error());
      removed = *result;
    }
    if (removed == Removed::done) {
      if (const auto found = used_.find(name); found != used_.end()) found->second.stored.reset();
      forget_unused(name);
      has_progress_ = true;
      co_return std::expected<void, StoreError>();
    }
    if (removed == Removed::no_answer) may_be_removed = true;
    co_await session_.pause(Session::retry_delay);
  }
  if (may_be_removed) co_return std::unexpected(no_answer(text_of(name)));
  co_return std::unexpected(session_.timed_out(text_of(name)));
}

task<std::expected<Subscriptions::Removed, StoreError>> Subscriptions::remove(std::string subject,
                                                                              SequenceNumber number,
                                                                              TimePoint end) {
  Publication publication;
  publication.subject = "$JS.API.STREAM.PURGE." + keys_.subscriptions_stream();
  publication.octets = purge_subject_json(subject, number);
  const Answer answer = co_await session_.ask(std::move(publication), session_.attempt_time(end));
  if (!answer)
    co_return answer.error() == NoAnswer::not_sent ? Removed::changed : Removed::no_answer;
  const auto purged = parse_purge(answer->octets);
  if (purged) co_return *purged > 0 ? Removed::done : Removed::changed;
  if (purged.error().is_temporary()) co_return Removed::changed;
  co_return std::unexpected(to_store_error(purged.error(), "NATS: '" + printable(subject) + "'"));
}

task<std::expected<std::vector<std::string>, StoreError>> Subscriptions::subjects(TimePoint end) {
  const std::string filter = keys_.subscriptions_of(place_.channel);
  std::vector<std::string> all;
  for (;;) {
    const auto page =
        co_await session_.ask_api("STREAM.INFO." + keys_.subscriptions_stream(),
                                  subjects_json(filter, all.size()), end, parse_subjects);
    if (!page) co_return std::unexpected(page.error());
    if (!*page) co_return std::unexpected(to_store_error(page->error(), "NATS: subscriptions"));
    const SubjectList& list = **page;
    all.insert(all.end(), list.subjects.begin(), list.subjects.end());
    if (list.subjects.empty() || all.size() >= list.total) co_return all;
    if (all.size() > session_.options().subscriptions_max + further_subjects_max)
      co_return std::unexpected(too_many_records(place_.channel));
    if (session_.now() >= end)
      co_return std::unexpected(session_.timed_out("the list of subscriptions"));
  }
}

task<std::expected<Subscriptions::List, StoreError>> Subscriptions::list(TimePoint end) {
  const auto all = co_await subjects(end);
  if (!all) co_return std::unexpected(all.error());
  List found;
  for (std::size_t at = 0; at < all->size(); at += questions_at_once) {
    std::vector<Publication> questions;
    for (std::size_t next = at; next < std::min(at + questions_at_once, all->size()); ++next)
      questions.push_back(question((*all)[next]));
    const auto answers =
        co_await session_.ask_all(std::move(questions), session_.attempt_time(end));
    std::vector<Stored> records;
    Marks marks;
    for (std::size_t next = 0; next < answers.size(); ++next) {
      auto stored = co_await read_listed(found, (*all)[at + next], answers[next], end);
      if (!stored) co_return std::unexpected(stored.error());
      if (stored->revision == 0) continue;
      if (!stored->record.marks.empty()) marks.push_back(stored->record.marks.front());
      records.push_back(std::move(*stored));
    }
    co_await marked_.learn(std::move(marks), end);
    for (Stored& stored : records) {
      const auto added = co_await add_to(found, std::move(stored), end);
      if (!added) co_return std::unexpected(added.error());
    }
  }
  co_return found;
}

task<std::expected<Subscriptions::Stored, StoreError>> Subscriptions::read_listed(
    List& list, std::string subject, Answer answer, TimePoint end) {
  std::expected<LeaderMessage, StoreError> message;
  Parsed<LeaderMessage> parsed = std::unexpected(ApiError{});
  if (answer) parsed = parse_leader_message(answer->octets);
  if (parsed)
    message = std::move(*parsed);
  else if (!parsed.error().is(ErrorCode::no_message))
    message = co_await load_message(subject, end);  // asks again until `end`
  if (!message) co_return std::unexpected(message.error());
  auto stored = to_stored(*message, subject,
                          "the subscription with the subject '" + printable(subject) + "'");
  if (stored) co_return stored;
  list.is_complete = false;
  if (warnings_.may_write(session_.now()))
    log::write(log::Level::error, "events", "NATS: " + stored.error().text);
  co_return Stored();
}

task<std::expected<void, StoreError>> Subscriptions::add_to(List& list, Stored stored,
                                                            TimePoint end) {
  if (!marked_.is_known_valid(stored.record)) {
    const auto position = co_await marked_.position(stored.record, end);
    if (!position) co_return std::unexpected(position.error());
    if (!*position) list.is_complete = false;
    if (*position && **position != stored.record.acknowledged) {
      auto valid = co_await load_valid(stored.record.name, end);
      if (!valid) co_return std::unexpected(valid.error());
      stored = std::move(*valid);
    }
  }
  if (stored.revision == 0) co_return std::expected<void, StoreError>();  // it has ended meanwhile
  Subscription& subscription = list.subscriptions.emplace_back();
  subscription.name = std::move(stored.record.name);
  subscription.acknowledged = stored.record.acknowledged;
  co_return std::expected<void, StoreError>();
}

void Subscriptions::acknowledge(const std::string& name, SequenceNumber number, TimePoint end,
                                Receive<void> done) {
  Used& used = used_[name];
  Acknowledgement waiting{number, end, std::move(done)};
  used.waiting.push_back(std::move(waiting));
  if (std::exchange(used.is_writing, true)) return;
  session_.start(write(name));
}

/// Stores the largest number that waits, until none waits.
task<void> Subscriptions::write(std::string name) {
  Used& used = used_[name];
  while (!used.waiting.empty()) {
    SequenceNumber largest = 0;
    TimePoint end = used.waiting.front().end;  // the earliest one
    for (const Acknowledgement& waiting : used.waiting) largest = std::max(largest, waiting.number);
    const auto written = co_await write_once(name, largest, end);
    if (written)
      finish(used, largest);
    else
      fail(used, written.error());
  }
  used.is_writing = false;
  forget_unused(name);
}

task<std::expected<void, StoreError>> Subscriptions::write_once(std::string name,
                                                                SequenceNumber number,
                                                                TimePoint end) {
  Used& used = used_[name];
  bool may_be_written = false;
  while (session_.now() < end && !session_.is_ending()) {
    if (!used.stored) {
      auto stored = co_await load_valid(name, end);
      if (!stored && may_be_written) break;
      if (!stored) co_return std::unexpected(stored.error());
      if (stored->revision == 0) co_return std::unexpected(no_subscription(name));
      used.stored = std::move(*stored);
    }
    if (used.stored->record.acknowledged >= number) co_return std::expected<void, StoreError>();
    Stored next = *used.stored;
    next.record.acknowledged = number;
    const Mark mark = co_await marked_.mark_of(number, end);
    add_mark(next.record.marks, mark);
    const auto written = co_await store(next, end);
    if (!written) co_return std::unexpected(written.error());
    if (*written == Written::done) {
      used.stored = std::move(next);
      has_progress_ = true;
      co_return std::expected<void, StoreError>();
    }
    if (*written == Written::no_answer) may_be_written = true;
    used.stored.reset();  // read again
    co_await session_.pause(Session::retry_delay);
  }
  if (may_be_written) co_return std::unexpected(no_answer(text_of(name)));
  co_return std::unexpected(session_.timed_out(text_of(name)));
}

void Subscriptions::finish(Used& used, SequenceNumber up_to) {
  std::deque<Acknowledgement> left;
  std::deque<Acknowledgement> finished;
  for (Acknowledgement& waiting : used.waiting)
    (waiting.number <= up_to ? finished : left).push_back(std::move(waiting));
  used.waiting = std::move(left);
  for (Acknowledgement& acknowledgement : finished) acknowledgement.done({});
}

/// Fails those whose time is over. If the cause is another one, fails all.
void Subscriptions::fail(Used& used, const StoreError& error) {
  const bool is_time = error.kind == Kind::unavailable || error.kind == Kind::uncertain;
  const TimePoint now = session_.now();
  std::deque<Acknowledgement> left;
  std::deque<Acknowledgement> failed;
  for (Acknowledgement& waiting : used.waiting) {
    const bool goes_on = is_time && waiting.end > now && !session_.is_ending();
    (goes_on ? left : failed).push_back(std::move(waiting));
  }
  used.waiting = std::move(left);
  for (Acknowledgement& acknowledgement : failed) acknowledgement.done(std::unexpected(error));
}

}  // namespace perigee::events::nats
