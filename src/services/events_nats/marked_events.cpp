// Asks for marked events.
#include "services/events_nats/marked_events.h"

#include "services/events_nats/streams.h"

#include <algorithm>
#include <cstddef>

namespace perigee::events::nats {

namespace {

constexpr std::size_t questions_at_once = 8;  // each answer has a whole event

}  // namespace

Publication MarkedEvents::question(SequenceNumber number) const {
  Publication publication;
  publication.subject = "$JS.API.STREAM.MSG.GET." + stream_;
  publication.octets = get_json(number);
  return publication;
}

/// The time of the lag begins again if nothing was observed for a while: the leader may have caught
/// up.
bool MarkedEvents::may_be_behind(const StreamInfo& info, SequenceNumber acknowledged) {
  const TimePoint now = session_.now();
  const auto time_max = session_.options().stream_missing_max;
  if (behind_ && (info.last >= behind_->number || now - behind_->seen > time_max)) behind_.reset();
  if (info.last >= acknowledged || info.replicas <= 1) return false;
  if (!behind_) behind_ = Behind{acknowledged, now, now};
  behind_->number = std::max(behind_->number, acknowledged);
  behind_->seen = now;
  return now - behind_->since < time_max;
}

task<std::expected<std::optional<SequenceNumber>, StoreError>> MarkedEvents::position(
    SubscriptionRecord record, TimePoint end) {
  SequenceNumber last = following_.last();
  if (record.acknowledged > last) {
    const auto info = co_await stream_info(session_, stream_, end);
    if (!info) behind_.reset();
    if (!info) co_return std::unexpected(info.error());
    if (may_be_behind(*info, record.acknowledged)) co_return std::nullopt;
    last = info->last;
  }
  bool has_lost = record.acknowledged > last;
  for (const Mark& mark : record.marks) {
    if (mark.number > last) continue;
    const auto sum = co_await sum_in_stream(mark, end);
    if (!sum) co_return std::unexpected(sum.error());
    if (*sum == mark.sum) co_return has_lost ? mark.number : record.acknowledged;
    has_lost = true;
  }
  if (!has_lost) co_return record.acknowledged;
  // No marked event is left: all events of the stream may be new ones.
  co_return record.marks.empty() ? last : SequenceNumber{0};
}

bool MarkedEvents::is_known_valid(const SubscriptionRecord& record) const {
  if (record.acknowledged > following_.last()) return false;
  return record.marks.empty() ||
         known_.sum_of(record.marks.front().number) == record.marks.front().sum;
}

task<std::size_t> MarkedEvents::take_room(std::size_t wanted, std::size_t octets_each,
                                          TimePoint end) {
  std::size_t count = budget_.take(wanted, octets_each);
  while (count == 0 && session_.now() < end && !session_.is_ending()) {
    co_await budget_.wait(session_, session_.attempt_time(end));
    count = budget_.take(wanted, octets_each);
  }
  co_return count;
}

task<std::expected<IdSum, StoreError>> MarkedEvents::sum_in_stream(Mark mark, TimePoint end) {
  if (const auto known = known_.sum_of(mark.number)) co_return *known;
  const std::size_t octets = answer_octets_max();
  const std::size_t room = co_await take_room(1, octets, end);
  if (room == 0) co_return std::unexpected(session_.timed_out("a marked event"));
  const auto found = co_await session_.ask_api("STREAM.MSG.GET." + stream_, get_json(mark.number),
                                               end, parse_leader_message);
  budget_.give_back(octets);
  if (!found) co_return std::unexpected(found.error());
  if (!*found && !found->error().is(ErrorCode::no_message))
    co_return std::unexpected(to_store_error(found->error(), "the NATS stream '" + stream_ + "'"));
  const IdSum sum = *found ? sum_of_headers((*found)->headers) : mark.sum;
  known_.add(mark.number, sum);
  co_return sum;
}

task<void> MarkedEvents::learn(Marks marks, TimePoint end) {
  std::erase_if(marks, [this](const Mark& mark) {
    return mark.number > following_.last() || known_.sum_of(mark.number);
  });
  std::ranges::sort(marks, {}, &Mark::number);
  const auto copies = std::ranges::unique(marks, {}, &Mark::number);
  marks.erase(copies.begin(), copies.end());
  const std::size_t octets_each = answer_octets_max();
  std::size_t at = 0;
  while (at < marks.size()) {
    const std::size_t wanted = std::min(questions_at_once, marks.size() - at);
    const std::size_t count = co_await take_room(wanted, octets_each, end);
    if (count == 0) co_return;
    const auto first = marks.begin() + static_cast<std::ptrdiff_t>(at);
    Marks batch(first, first + static_cast<std::ptrdiff_t>(count));
    co_await ask_for(std::move(batch), end);
    budget_.give_back(count * octets_each);
    at += count;
  }
}

task<void> MarkedEvents::ask_for(Marks marks, TimePoint end) {
  std::vector<Publication> questions;
  for (const Mark& mark : marks) questions.push_back(question(mark.number));
  const auto answers = co_await session_.ask_all(std::move(questions), session_.attempt_time(end));
  for (std::size_t at = 0; at < answers.size(); ++at) {
    if (!answers[at]) continue;
    const auto event = parse_leader_message(answers[at]->octets);
    if (event) known_.add(marks[at].number, sum_of_headers(event->headers));
    if (!event && event.error().is(ErrorCode::no_message))
      known_.add(marks[at].number, marks[at].sum);
  }
}

/// A stream that is not checked may have another event of this number, which no consumer got.
task<Mark> MarkedEvents::mark_of(SequenceNumber number, TimePoint end) {
  if (const auto known = known_.sum_of(number)) co_return Mark{number, *known};
  Mark mark{number, no_id};
  if (number == 0 || !following_.is_checked()) co_return mark;
  const std::size_t octets = answer_octets_max();
  // The acknowledgement itself needs the rest of the time.
  const TimePoint room_end = session_.now() + session_.attempt_time(end);
  const std::size_t room = co_await take_room(1, octets, room_end);
  if (room == 0) co_return mark;
  const Answer answer = co_await session_.ask(question(number), session_.attempt_time(end));
  budget_.give_back(octets);
  if (!answer || !following_.is_checked()) co_return mark;
  const auto event = parse_leader_message(answer->octets);
  if (!event) co_return mark;
  mark.sum = sum_of_headers(event->headers);
  known_.add(number, mark.sum);
  co_return mark;
}

}  // namespace perigee::events::nats
