// The consumer, and its replacement after faults.
#include "services/events_nats/following.h"

#include "services/events_nats/streams.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace perigee::events::nats {

namespace {

using std::chrono::milliseconds;

constexpr int missing_heartbeats_max = 3;
constexpr std::size_t held_octets_max = std::size_t{16} << 20;
// Roughly the memory of a held message without its text.
constexpr std::size_t message_octets_own = 256;
// The delay before the next consumer doubles up to the largest delay.
constexpr milliseconds next_consumer_delay{100};
constexpr milliseconds next_consumer_delay_max{2'000};
constexpr milliseconds steady_time{10'000};  // a consumer that lives so long ends the doubling

}  // namespace

Following::Following(Session& session, Place place, const StreamInfo& info, KnownEvents& known,
                     Events events)
    : session_(session),
      place_(std::move(place)),
      known_(known),
      events_(std::move(events)),
      made_(info.made),
      last_(info.last),
      recent_(session.options().recent_octets_max, info.last) {}

task<void> Following::run() {
  milliseconds delay = next_consumer_delay;
  while (!session_.is_ending() && !is_broken_) {
    const TimePoint begin = session_.now();
    const std::uint64_t before = consumer_;
    const bool has_consumer = co_await make_consumer();
    if (has_consumer) co_await await_fault();
    remove_consumer();
    if (session_.now() - begin >= steady_time) delay = next_consumer_delay;
    if (session_.is_up() && session_.connections() != connection_) continue;
    // A server that ends each consumer at once must not keep this thread busy.
    const milliseconds pause = consumer_ == before ? next_consumer_delay : delay;
    co_await session_.wait(bell_, pause);
    if (consumer_ != before) delay = std::min(2 * delay, next_consumer_delay_max);
  }
}

/// Whether the stream is still the same, with all events that the listener got.
task<bool> Following::check_stream() {
  const TimePoint end = session_.now() + session_.options().request_time_max;
  const auto info =
      co_await session_.ask_api("STREAM.INFO." + place_.stream, "", end, parse_stream);
  const Fault fault = info ? fault_of(*info) : Fault();
  // Without an answer in time, it is not known whether the stream is still missing.
  if (!fault.lasts_at_most) missing_since_.reset();
  if (!info || fault.text.empty()) co_return info.has_value();
  if (!fault.may_pass) break_channel(fault);
  if (fault.lasts_at_most && !missing_since_) missing_since_ = session_.now();
  const bool lasts =
      missing_since_ && session_.now() - *missing_since_ >= session_.options().stream_missing_max;
  if (lasts) break_channel(fault);
  if (!is_broken_) warn(fault.text);
  co_return false;
}

/// A stream that has lost its newest events gives their numbers to new events. So its last number
/// does not show the loss. A limit may have removed the event meanwhile.
task<bool> Following::check_last() {
  if (last_id_.empty()) co_return true;
  const TimePoint end = session_.now() + session_.options().request_time_max;
  const auto found = co_await session_.ask_api("STREAM.MSG.GET." + place_.stream, get_json(last_),
                                               end, parse_leader_message);
  if (!found) co_return false;
  if (*found && (*found)->headers.contains(last_id_)) co_return true;
  if (!*found && found->error().is(ErrorCode::no_message)) co_return true;
  if (*found)
    break_channel({"the NATS stream '" + place_.stream + "' has lost events: event " +
                       std::to_string(last_) + " is another one now",
                   false, false});
  else
    warn(found->error().text);
  co_return false;
}

/// The channel fails only if NATS says that the stream was made again, or that it lacks events.
/// Other errors pass: for example, a cluster does not find a stream while its servers start.
Following::Fault Following::fault_of(const Parsed<StreamInfo>& info) const {
  const std::string what = "the NATS stream '" + place_.stream + "'";
  if (!info) {
    const bool is_missing = info.error().is(ErrorCode::stream_not_found);
    return {to_store_error(info.error(), what).text, true, is_missing};
  }
  if (info->made != made_) return {what + " was removed and made again", false, false};
  if (info->last >= last_) return {};
  // A new leader of several replicas may not have applied all events that it has.
  const bool may_pass = info->replicas > 1;
  return {what + " has lost events: its last number is " + std::to_string(info->last) +
              ", and event " + std::to_string(last_) + " was there",
          may_pass, true};
}

void Following::break_channel(const Fault& fault) {
  const StoreError error{StoreError::Kind::corrupt, fault.text + "; start the event service again"};
  log::write(log::Level::error, "events", error.text);
  is_broken_ = true;
  events_.broken(error);
}

void Following::warn(const std::string& text) {
  if (!warnings_.may_write(session_.now())) return;
  log::write(log::Level::warning, "events",
             "NATS: no consumer of '" + place_.stream + "': " + text);
}

task<bool> Following::make_consumer() {
  if (!session_.is_up()) {
    missing_since_.reset();
    co_return false;
  }
  connection_ = session_.connections();
  needs_check_ = false;
  bool is_same = co_await check_stream();
  if (is_same) is_same = co_await check_last();
  // The answer may be older than the present connection, or than the reason for another check.
  if (!is_same || needs_check_ || session_.connections() != connection_) co_return false;
  checked_ = connection_;
  events_.checked();
  ++consumer_;
  consumer_last_ = 0;
  has_gap_ = false;
  heard_ = session_.now();
  ConsumerRequest request;
  request.stream = place_.stream;
  request.deliver_subject = place_.inbox + std::to_string(consumer_);
  if (!session_.subscribe(request.deliver_subject)) co_return false;
  subject_ = request.deliver_subject;
  request.first = last_ + 1;
  request.heartbeat = session_.options().heartbeat_interval;
  Publication publication;
  publication.subject = "$JS.API.CONSUMER.CREATE." + place_.stream;
  publication.octets = to_json(request);
  // Not repeated: a second consumer would push to the same subject.
  const Answer answer =
      co_await session_.ask(std::move(publication), session_.options().attempt_time_max);
  if (!answer) co_return false;
  const auto name = parse_consumer(answer->octets);
  if (!name) {
    warn(name.error().text);
    co_return false;
  }
  consumer_name_ = *name;
  co_return true;
}

task<void> Following::await_fault() {
  while (!has_fault()) {
    if (held_.empty())
      co_await session_.wait(bell_, session_.options().heartbeat_interval);
    else
      co_await check_jump();
  }
}

bool Following::has_fault() const {
  const auto silence_max = missing_heartbeats_max * session_.options().heartbeat_interval;
  return session_.is_ending() || session_.connections() != connection_ || !session_.is_up() ||
         has_gap_ || session_.now() - heard_ > silence_max;
}

/// Waits for no answer: NATS itself removes a consumer whose messages reach no subscriber.
void Following::remove_consumer() {
  has_gap_ = true;  // messages that still come are not passed on
  held_.clear();
  held_octets_ = 0;
  session_.unsubscribe(std::exchange(subject_, {}));
  if (consumer_name_.empty()) return;
  Publication publication;
  publication.subject = "$JS.API.CONSUMER.DELETE." + place_.stream + "." + consumer_name_;
  consumer_name_.clear();
  static_cast<void>(session_.publish(publication));
}

void Following::report_gap() {
  if (std::exchange(has_gap_, true)) return;
  bell_.ring();
}

/// A consumer on a replica that still copies the stream may skip events, so only the leader knows
/// which events exist. The leader is asked after the jump, because a limit may remove more events.
task<void> Following::check_jump() {
  const SequenceNumber number = held_.front().number;
  const TimePoint end = session_.now() + session_.options().attempt_time_max;
  const auto next = co_await next_event(session_, place_.stream, place_.subject, last_ + 1, end);
  if (has_fault()) co_return;
  if (!next || *next < number) {
    warn(next ? "event " + std::to_string(last_ + 1) + " is missing before event " +
                    std::to_string(number)
              : next.error().text);
    co_return report_gap();
  }
  std::deque<Held> held = std::exchange(held_, {});
  held_octets_ = 0;
  pass_on(held.front().number, std::move(held.front().message));
  held.pop_front();
  for (Held& each : held) take(each.number, std::move(each.message));
}

void Following::take(SequenceNumber number, Message message) {
  if (number <= last_ || has_gap_) return;
  if (held_.empty() && number == last_ + 1) return pass_on(number, std::move(message));
  held_octets_ += message.octets.size() + message_octets_own;
  held_.push_back({number, std::move(message)});
  if (held_octets_ > held_octets_max) return report_gap();
  bell_.ring();
}

void Following::pass_on(SequenceNumber number, Message message) {
  last_ = number;
  last_id_ = message.message_id;
  known_.add(number, sum_of_id(last_id_));
  StoredEvent event{last_, std::move(message.octets)};
  events_.heard(event, message.message_id);
  recent_.add(std::move(event));
}

void Following::on_message(std::uint64_t consumer, Message message) {
  if (consumer != consumer_ || has_gap_) return;
  heard_ = session_.now();
  const auto delivery = parse_delivery(message.reply);
  if (!delivery) return on_status(message);
  if (delivery->consumer_number != consumer_last_ + 1) return report_gap();
  consumer_last_ = delivery->consumer_number;
  take(delivery->number, std::move(message));
}

void Following::on_status(const Message& message) {
  if (message.status.empty()) return;                // not from a consumer
  if (message.status != "100") return report_gap();  // the consumer has ended
  Publication publication;
  publication.subject = message.reply.empty() ? message.stalled : message.reply;
  if (is_subject(publication.subject)) static_cast<void>(session_.publish(publication));
  const auto last = parse_number(message.last_of_consumer);
  if (!message.last_of_consumer.empty() && last != consumer_last_) report_gap();
}

}  // namespace perigee::events::nats
