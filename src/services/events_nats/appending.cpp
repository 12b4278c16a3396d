// The window of events without an acknowledgement.
#include "services/events_nats/appending.h"

#include <perigee/base/log.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace perigee::events::nats {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t window_events = 512;
constexpr std::size_t window_octets = 4 << 20;  // an empty window accepts any event
constexpr std::size_t headers_size_max = 256;   // octets of a message without the event
// After this time without an acknowledgement, no new event is sent: it could overtake lost ones.
constexpr milliseconds stall_time{500};
constexpr milliseconds not_ready_delay{100};
constexpr std::size_t passed_over_max = 64;  // rows of numbers that are remembered

StoreError too_large(std::size_t size, std::size_t payload_max) {
  return {StoreError::Kind::too_large,
          "the event has " + std::to_string(size) +
              " octets, and a message of this NATS server has at most " +
              std::to_string(payload_max) + "; raise its max_payload"};
}

}  // namespace

void Appending::add(std::string octets, TimePoint end, Receive<SequenceNumber> done) {
  if (failure_) return done(std::unexpected(*failure_));
  Entry entry{std::move(octets), end, std::move(done)};
  entries_.push_back(std::move(entry));
  step();
}

Appending::Entry* Appending::find(std::uint64_t count) {
  if (count < first_ || count - first_ >= entries_.size()) return nullptr;
  Entry& entry = entries_[count - first_];
  return entry.done ? &entry : nullptr;
}

void Appending::on_answer(std::uint64_t count, const Message& message) {
  Entry* const entry = find(count);
  if (entry == nullptr) return;
  const bool has_no_stream = message.status == "503" && message.octets.empty();
  const auto answer = has_no_stream
                          ? Parsed<PublishAnswer>(std::unexpected(ApiError{503, 0, "no stream"}))
                          : parse_publish(message.octets);
  if (answer && answer->number == 0) return;  // the first copy of the event is still being stored
  if (answer) {
    if (entry->number == 0 && answer->number <= heard_ && !was_passed_over(answer->number))
      return doubt(count, answer->number);
    note_stored(count, answer->number);
    finish_heard(0);
  } else if (!answer.error().is_temporary()) {
    finish(count, std::unexpected(refusal(*entry, answer.error())));
  } else {
    on_not_ready(*entry);
  }
  step();
}

void Appending::on_not_ready(Entry& entry) {
  if (entry.open_attempts > 0) --entry.open_attempts;
  blocked_until_ = session_.now() + not_ready_delay;
  has_refused_ = true;
  send_again();
}

void Appending::on_heard(std::string_view message_id, SequenceNumber number) {
  if (number > heard_ + 1) passed_over_.emplace_back(heard_ + 1, number - 1);
  if (passed_over_.size() > passed_over_max) passed_over_.pop_front();
  heard_ = number;
  std::uint64_t own = place_.ids.count_of(message_id).value_or(0);
  if (find(own) == nullptr) own = 0;
  if (own != 0) note_stored(own, number);
  finish_heard(own);
  if (own != 0) finish(own, number);
  step();
}

void Appending::finish_heard(std::uint64_t own) {
  while (!unheard_.empty() && unheard_.begin()->first <= heard_) {
    const auto [stored, count] = *unheard_.begin();
    unheard_.erase(unheard_.begin());
    if (count == own || was_passed_over(stored))
      finish(count, stored);
    else
      doubt(count, stored);
  }
}

bool Appending::was_passed_over(SequenceNumber number) const {
  return std::ranges::any_of(passed_over_, [number](const auto& row) {
    return row.first <= number && number <= row.second;
  });
}

/// The stream has lost its newest events. The event was stored, but the listener will not get it.
void Appending::doubt(std::uint64_t count, SequenceNumber number) {
  checked_ = 0;
  send_again();
  finish(count,
         std::unexpected(StoreError{
             StoreError::Kind::uncertain,
             "an event for '" + place_.subject + "' has the number " + std::to_string(number) +
                 ", which another event had: the NATS stream has lost events"}));
  on_doubt_();
}

void Appending::note_stored(std::uint64_t count, SequenceNumber number) {
  Entry& entry = *find(count);
  if (entry.number != 0) return;
  entry.number = number;
  unheard_.emplace(number, count);
  warn_of_order(count, number);
  progress_ = session_.now();
  for (std::size_t at = 0; at < count - first_; ++at)
    if (entries_[at].number == 0 && !entries_[at].overtaken) entries_[at].overtaken = progress_;
}

void Appending::warn_of_order(std::uint64_t count, SequenceNumber number) {
  const auto [newest, newest_number] = newest_stored_;
  if (count > newest) newest_stored_ = {count, number};
  const bool is_behind = count < newest && number > newest_number;
  if (!is_behind || !warnings_.may_write(session_.now())) return;
  log::write(log::Level::warning, "events",
             "NATS: event " + std::to_string(number) + " of '" + place_.subject +
                 "' was sent before event " + std::to_string(newest_number) +
                 ", but NATS has stored it later");
}

StoreError Appending::no_result(const Entry& entry) const {
  StoreError error = session_.timed_out("an event for '" + place_.subject + "'");
  if (entry.open_attempts == 0) return error;
  return {StoreError::Kind::uncertain, std::move(error.text) + "; the channel may have the event"};
}

/// An earlier attempt without an answer may have stored the event. NATS then still refuses this
/// attempt, because it checks its limits before it compares the message id.
StoreError Appending::refusal(const Entry& entry, const ApiError& error) {
  StoreError refused{error.kind(), "NATS: " + error.text};
  if (entry.open_attempts <= 1) return refused;
  return {StoreError::Kind::uncertain,
          std::move(refused.text) + "; the channel may have the event"};
}

/// A stored event may be lost, but it may also be in a copy of the stream.
StoreError Appending::failure_of(const Entry& entry, const StoreError& error) {
  if (entry.open_attempts == 0 && entry.number == 0) return error;
  return {StoreError::Kind::uncertain, error.text + "; the channel may have the event"};
}

/// The time at which the oldest event ends without a result. Later events may have to wait until
/// then. So an event that is not sent again waits only for the answer to one attempt.
TimePoint Appending::end_of(const Entry& entry) const {
  if (!entry.overtaken || entry.number != 0) return entry.end;
  return std::min(entry.end, *entry.overtaken + session_.options().attempt_time_max);
}

void Appending::finish(std::uint64_t count, std::expected<SequenceNumber, StoreError> result) {
  Entry* const entry = find(count);
  if (entry == nullptr) return;
  auto done = std::exchange(entry->done, nullptr);
  remove_done();
  done(std::move(result));
}

void Appending::remove_done() {
  while (!entries_.empty() && !entries_.front().done) {
    if (sent_ > 0) {
      --sent_;
      sent_octets_ -= entries_.front().octets.size();
    }
    entries_.pop_front();
    ++first_;
  }
}

void Appending::on_checked() {
  if (is_checked()) return;
  checked_ = session_.connections();
  blocked_until_ = {};
  has_refused_ = false;
  send_again();
  step();
}

void Appending::send_again() {
  sent_ = 0;
  sent_octets_ = 0;
}

bool Appending::may_send() const {
  if (sent_ == entries_.size() || !is_checked()) return false;
  const TimePoint now = session_.now();
  if (now < blocked_until_) return false;
  if (sent_ == 0) return !awaits_later_answers();
  return now - progress_ < stall_time && sent_ < window_events &&
         sent_octets_ + entries_[sent_].octets.size() <= window_octets;
}

bool Appending::awaits_later_answers() const {
  if (!has_refused_ || session_.now() - last_sent_ >= session_.options().attempt_time_max)
    return false;
  return std::ranges::any_of(entries_, [](const Entry& entry) {
    return entry.done && entry.number == 0 && entry.open_attempts > 0;
  });
}

void Appending::step() {
  const TimePoint now = session_.now();
  expire(now);
  if (sent_ > 0 && now - progress_ >= session_.options().attempt_time_max) send_again();
  while (may_send()) {
    if (sent_ == 0) progress_ = now;
    has_refused_ = false;
    const std::size_t at = sent_++;
    sent_octets_ += entries_[at].octets.size();
    const Entry& entry = entries_[at];
    if (entry.done && entry.number == 0 && !entry.overtaken) send(at);
    remove_done();
  }
}

void Appending::send(std::size_t at) {
  Entry& entry = entries_[at];
  if (entry.octets.size() + headers_size_max > session_.payload_max())
    return finish(first_ + at,
                  std::unexpected(too_large(entry.octets.size(), session_.payload_max())));
  const std::string count = std::to_string(first_ + at);
  Publication publication;
  publication.subject = place_.subject;
  publication.reply = place_.inbox + count;
  publication.octets = entry.octets;
  publication.headers.emplace_back("Nats-Msg-Id", place_.ids.id_of(first_ + at));
  if (entry.open_attempts++ > 0) ++sent_again_;
  last_sent_ = session_.now();
  // If the message cannot be sent, the connection is lost, and the next one sends it again.
  static_cast<void>(session_.publish(publication));
}

void Appending::expire(TimePoint now) {
  while (!entries_.empty() && end_of(entries_.front()) <= now) {
    const Entry& entry = entries_.front();
    if (entry.number != 0)
      finish(first_, entry.number);  // the listener will get it
    else
      finish(first_, std::unexpected(no_result(entry)));
  }
}

TimePoint Appending::next_step() const {
  if (entries_.empty()) return TimePoint::max();
  TimePoint next = end_of(entries_.front());
  if (sent_ > 0) next = std::min(next, progress_ + session_.options().attempt_time_max);
  if (sent_ < entries_.size() && is_checked() && blocked_until_ > session_.now())
    next = std::min(next, blocked_until_);
  if (has_refused_ && is_checked() && blocked_until_ <= session_.now())
    next = std::min(next, last_sent_ + session_.options().attempt_time_max);
  return next;
}

void Appending::fail(const StoreError& error) {
  failure_ = error;
  while (!entries_.empty()) finish(first_, std::unexpected(failure_of(entries_.front(), error)));
}

}  // namespace perigee::events::nats
