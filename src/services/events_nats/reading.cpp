// Questions for single events, and the care for missing numbers.
#include "services/events_nats/reading.h"

#include "services/events_nats/streams.h"

#include <algorithm>
#include <optional>

namespace perigee::events::nats {

namespace {

constexpr std::size_t reads_max = 16;  // at once
constexpr std::size_t wave_max = 64;

/// std::nullopt: the answer has no event.
std::optional<StoredEvent> to_event(const Message& message) {
  const auto number = parse_number(message.number);
  if (!number || *number == 0) return std::nullopt;
  return StoredEvent{*number, message.octets};
}

}  // namespace

void Reading::Batch::add(StoredEvent event) {
  octets += event.octets.size();
  largest = std::max(largest, event.octets.size());
  events.push_back(std::move(event));
}

task<Reading::Events> Reading::read(SequenceNumber after, Limits limits, TimePoint end) {
  while (running_ >= reads_max && !session_.is_ending()) {
    Bell bell;
    turns_.push_back(&bell);
    co_await session_.wait(bell, session_.options().request_time_max);
    std::erase(turns_, &bell);
    if (session_.now() < end) continue;
    ring_next();  // this read may have been told that there is room
    co_return std::unexpected(session_.timed_out("a read"));
  }
  ++running_;
  auto events = co_await read_stored(after, limits, end);
  --running_;
  ring_next();
  co_return events;
}

void Reading::ring_next() {
  if (running_ < reads_max && !turns_.empty()) turns_.front()->ring();
}

task<Reading::Events> Reading::read_stored(SequenceNumber after, Limits limits, TimePoint end) {
  Batch batch;
  SequenceNumber done = after;
  while (done < following_.last() && batch.events.size() < limits.events_max) {
    if (done >= following_.recent().complete_after()) {
      following_.recent().read(done, limits.events_max, limits.octets_max, batch.events,
                               batch.octets);
      break;
    }
    const std::size_t before = batch.events.size();
    const Step step = co_await read_wave(done + 1, limits, end, batch);
    if (batch.events.size() > before) done = batch.events.back().number;
    if (step == Step::missing) {
      const SequenceNumber next = co_await skip(done + 1, end);
      if (next != 0) done = next - 1;
      if (next == 0) co_await session_.pause(Session::retry_delay);
    } else if (step == Step::failed) {
      // Without a connection, the answer comes at once. The thread has other work.
      co_await session_.pause(Session::retry_delay);
    } else if (step == Step::got && batch.events.size() == before) {
      break;  // no room
    }
    if (session_.now() >= end || session_.is_ending()) break;
  }
  const bool is_late = session_.now() >= end || session_.is_ending();
  if (batch.events.empty() && is_late && done < following_.last())
    co_return std::unexpected(session_.timed_out("events of the stream '" + place_.stream + "'"));
  co_return std::move(batch.events);
}

Publication Reading::question(const std::string& json) const {
  Publication publication;
  publication.subject = "$JS.API.DIRECT.GET." + place_.stream;
  publication.octets = json;
  return publication;
}

/// So many questions that their answers probably have room.
std::size_t Reading::wave_size(SequenceNumber next, const Limits& limits,
                               const Batch& batch) const {
  const SequenceNumber stored = following_.recent().complete_after() - next + 1;
  std::size_t size = batch.wave;
  if (batch.largest > 0)
    size = std::min(
        size, (limits.octets_max - std::min(limits.octets_max, batch.octets)) / batch.largest);
  size = std::min(size, limits.events_max - batch.events.size());
  return static_cast<std::size_t>(std::min<SequenceNumber>(std::max<std::size_t>(size, 1), stored));
}

task<Reading::Step> Reading::read_wave(SequenceNumber next, Limits limits, TimePoint end,
                                       Batch& batch) {
  const std::size_t octets_each = session_.payload_max();
  std::size_t size = 0;
  while (size == 0) {
    size = budget_.take(wave_size(next, limits, batch), octets_each);
    if (size == 0) co_await budget_.wait(session_, session_.attempt_time(end));
    if (size == 0 && (session_.now() >= end || session_.is_ending())) co_return Step::failed;
  }
  const Step step = co_await ask_wave(next, size, limits, end, batch);
  budget_.give_back(size * octets_each);
  batch.wave = std::min(2 * batch.wave, wave_max);
  co_return step;
}

task<Reading::Step> Reading::ask_wave(SequenceNumber next, std::size_t size, Limits limits,
                                      TimePoint end, Batch& batch) {
  std::vector<Publication> questions;
  for (std::size_t at = 0; at < size; ++at) questions.push_back(question(get_json(next + at)));
  const auto answers = co_await session_.ask_all(std::move(questions), session_.attempt_time(end));
  for (std::size_t at = 0; at < size; ++at) {
    if (!answers[at]) co_return Step::failed;
    auto event = to_event(*answers[at]);
    if (!event || event->number != next + at) co_return Step::missing;
    if (!batch.has_room(limits, event->octets.size())) co_return Step::got;
    known_.add(event->number, sum_of_id(answers[at]->message_id));
    batch.add(std::move(*event));
  }
  co_return Step::got;
}

task<SequenceNumber> Reading::skip(SequenceNumber missing, TimePoint end) {
  const auto next = co_await next_event(session_, place_.stream, place_.subject, missing, end);
  if (!next || *next == missing) co_return SequenceNumber{0};  // another replica does not have it
  if (*next > missing) co_return *next;
  const auto info = co_await stream_info(session_, place_.stream, end);
  const bool is_removed = info && info->first > missing;
  co_return is_removed ? info->first : SequenceNumber{0};
}

}  // namespace perigee::events::nats
