// The consumer, and its replacement after faults.
#include "services/events_nats/following.h"

#include "services/events_nats/streams.h"
#include <perigee/base/log.h>

#include <chrono>
#include <utility>

namespace perigee::events::nats {

namespace {

constexpr int missing_heartbeats_max = 3;
constexpr int agreeing_consumers = 5;
constexpr std::chrono::milliseconds next_consumer_delay{100};

}  // namespace

Following::Following(Session& session, Place place, const StreamInfo& info, Events events)
    : session_(session),
      place_(std::move(place)),
      events_(std::move(events)),
      made_(info.made),
      last_(info.last),
      recent_(session.options().recent_octets_max, info.last) {}

task<void> Following::run() {
  while (!session_.is_ending() && !is_broken_) {
    const bool has_consumer = co_await make_consumer();
    if (has_consumer) co_await await_fault();
    remove_consumer();
    if (jumps_ > 0) co_await session_.pause(next_consumer_delay);
    if (!has_consumer) co_await session_.wait(bell_, next_consumer_delay);
  }
}

/// Whether the stream is still the same, with all events that the listener got.
task<bool> Following::check_stream() {
  const TimePoint end = session_.now() + session_.options().request_time_max;
  const auto info =
      co_await session_.ask_api("STREAM.INFO." + place_.stream, "", end, parse_stream);
  if (!info) co_return false;  // no answer in time
  const Fault fault = fault_of(*info);
  if (fault.text.empty()) {
    missing_since_.reset();
    first_ = (*info)->first;
    co_return true;
  }
  if (!fault.may_pass) break_channel(fault);
  if (!missing_since_) missing_since_ = session_.now();
  const bool lasts = session_.now() - *missing_since_ >= session_.options().stream_missing_max;
  if (fault.lasts_at_most && lasts) break_channel(fault);
  if (!is_broken_) warn(fault.text);
  co_return false;
}

/// Only a stream of which NATS says that it is another one, or that lacks events, ends the channel.
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
  if (!session_.is_up()) co_return false;
  connection_ = session_.connections();
  has_gap_ = false;
  const bool is_same = co_await check_stream();
  // The answer may be older than the present connection, or than the reason for another check.
  if (!is_same || has_gap_ || session_.connections() != connection_) co_return false;
  events_.checked();
  ++consumer_;
  consumer_last_ = 0;
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
  while (!has_fault()) co_await session_.wait(bell_, session_.options().heartbeat_interval);
}

bool Following::has_fault() const {
  const auto silence_max = missing_heartbeats_max * session_.options().heartbeat_interval;
  return session_.is_ending() || session_.connections() != connection_ || !session_.is_up() ||
         has_gap_ || session_.now() - heard_ > silence_max;
}

/// Without an answer: NATS itself removes a consumer whose messages reach no subscriber.
void Following::remove_consumer() {
  session_.unsubscribe(std::exchange(subject_, {}));
  if (consumer_name_.empty()) return;
  Publication publication;
  publication.subject = "$JS.API.CONSUMER.DELETE." + place_.stream + "." + consumer_name_;
  consumer_name_.clear();
  static_cast<void>(session_.publish(publication));
}

void Following::report_gap() {
  has_gap_ = true;
  bell_.ring();
}

/// Whether the events between the last one and this number are removed. A consumer on a replica
/// that still copies the stream may skip events, so several consumers must agree.
bool Following::is_removed_before(SequenceNumber number) {
  if (number <= first_) return true;
  jumps_ = number == jump_ ? jumps_ + 1 : 1;
  jump_ = number;
  return jumps_ > agreeing_consumers;
}

void Following::on_message(std::uint64_t consumer, Message message) {
  if (consumer != consumer_ || has_gap_) return;
  heard_ = session_.now();
  const auto delivery = parse_delivery(message.reply);
  if (!delivery) return on_status(message);
  if (delivery->consumer_number != consumer_last_ + 1) return report_gap();
  consumer_last_ = delivery->consumer_number;
  if (delivery->number <= last_) return;
  if (delivery->number > last_ + 1 && !is_removed_before(delivery->number)) return report_gap();
  last_ = delivery->number;
  jumps_ = 0;
  StoredEvent event{last_, std::move(message.octets)};
  events_.heard(event, message.message_id);
  recent_.add(std::move(event));
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
