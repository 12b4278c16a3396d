// Passes requests on to the parts of a channel.
#include "services/events_nats/channel.h"

#include <perigee/base/log.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace perigee::events::nats {

namespace {

std::string subject_part(char part, std::uint64_t number, const Session& session) {
  return session.inbox(part, number) + ".";
}

}  // namespace

Channel::Channel(Session& session, const Keys& keys, ReadBudget& budget, const Place& place,
                 const StreamInfo& info, EventListener listener)
    : session_(session),
      stream_(keys.stream(place.name)),
      listener_(std::move(listener)),
      following_(session,
                 {stream_, keys.subject(place.name), subject_part('f', place.number, session)},
                 info, known_,
                 {[this](const StoredEvent& event, std::string_view message_id) {
                    if (listener_) listener_(event);
                    appending_.on_heard(message_id, event.number);
                  },
                  [this] { appending_.on_checked(); },
                  [this](const StoreError& error) { on_broken(error); }}),
      appending_(session,
                 {keys.subject(place.name),
                  MessageIds(place.store + "." + std::to_string(place.number) + ".", place.secret),
                  subject_part('a', place.number, session), info.last},
                 [this] { following_.check_again(); }),
      subscriptions_(session, keys, following_, known_, budget, {place.name, stream_, info.made}),
      reading_(session, following_, known_, budget, {stream_, keys.subject(place.name)}) {}

void Channel::start() {
  session_.start(following_.run());
  session_.start(trim_repeatedly());
}

std::expected<void, StoreError> Channel::open_again(EventListener listener) {
  if (broken_) return std::unexpected(*broken_);
  listener_ = std::move(listener);
  return {};
}

void Channel::on_broken(const StoreError& error) {
  broken_ = error;
  appending_.fail(error);
}

task<void> Channel::subscribe(std::string name, Begin begin, TimePoint end,
                              Receive<Subscription> done) {
  if (broken_) {
    done(std::unexpected(*broken_));
    co_return;
  }
  auto result = co_await subscriptions_.subscribe(std::move(name), begin, end);
  done(std::move(result));
}

task<void> Channel::position(std::string name, TimePoint end, Receive<Subscription> done) {
  if (broken_) {
    done(std::unexpected(*broken_));
    co_return;
  }
  auto result = co_await subscriptions_.find(std::move(name), end);
  done(std::move(result));
}

task<void> Channel::unsubscribe(std::string name, TimePoint end, Receive<void> done) {
  auto result = co_await subscriptions_.unsubscribe(std::move(name), end);
  done(std::move(result));
}

task<void> Channel::subscriptions(TimePoint end, Receive<std::vector<Subscription>> done) {
  auto result = co_await subscriptions_.list(end);
  if (result)
    done(std::move(result->subscriptions));
  else
    done(std::unexpected(result.error()));
}

task<void> Channel::read(std::string name, SequenceNumber after, Reading::Limits limits,
                         TimePoint end, Receive<std::vector<StoredEvent>> done) {
  if (broken_) {
    done(std::unexpected(*broken_));
    co_return;
  }
  const auto exists = co_await subscriptions_.require(std::move(name), end);
  if (!exists) {
    done(std::unexpected(exists.error()));
    co_return;
  }
  auto result = co_await reading_.read(after, limits, end);
  done(std::move(result));
}

void Channel::acknowledge(const std::string& name, SequenceNumber number, TimePoint end,
                          Receive<void> done) {
  if (broken_) return done(std::unexpected(*broken_));
  subscriptions_.acknowledge(name, std::min(number, following_.last()), end, std::move(done));
}

task<void> Channel::trim_repeatedly() {
  while (!session_.is_ending() && !broken_) {
    co_await session_.pause(session_.options().trim_interval);
    if (!subscriptions_.take_progress()) continue;
    const bool is_trimmed = co_await trim();
    if (!is_trimmed) subscriptions_.put_progress_back();
  }
}

void Channel::warn_of_trim(const std::string& text) {
  if (session_.is_ending() || !warnings_.may_write(session_.now())) return;
  log::write(log::Level::warning, "events",
             "NATS: the acknowledged events of the stream '" + stream_ +
                 "' cannot be removed now: " + text);
}

/// Removes the events that all subscriptions have acknowledged. A subscription that is made
/// meanwhile begins after `newest`, or with the oldest event that is left. A record that cannot be
/// read may belong to a subscription that needs all events. A stream that is not checked may have
/// lost events: other events would have the numbers that the listener knows. So the removal is not
/// repeated: the next attempt begins with the checks.
task<bool> Channel::trim() {
  const TimePoint end = session_.now() + session_.options().request_time_max;
  const SequenceNumber newest = following_.last();
  const std::uint64_t connection = session_.connections();
  if (!following_.is_checked()) co_return false;
  const auto all = co_await subscriptions_.list(end);
  if (!all) warn_of_trim(all.error().text);
  if (!all || !all->is_complete) co_return false;
  if (all->subscriptions.empty()) co_return true;
  SequenceNumber done_by_all = newest;
  for (const Subscription& subscription : all->subscriptions)
    done_by_all = std::min(done_by_all, subscription.acknowledged);
  if (done_by_all <= trimmed_) co_return true;
  if (!following_.is_checked() || session_.connections() != connection) co_return false;
  Publication removal;
  removal.subject = "$JS.API.STREAM.PURGE." + stream_;
  removal.octets = purge_before_json(done_by_all + 1);
  const Answer answer = co_await session_.ask(std::move(removal), session_.attempt_time(end));
  if (!answer) {
    warn_of_trim(session_.timed_out("a removal").text);
    co_return false;
  }
  const auto purged = parse_purge(answer->octets);
  if (!purged) warn_of_trim(purged.error().text);
  if (!purged) co_return false;
  trimmed_ = done_by_all;
  co_return true;
}

}  // namespace perigee::events::nats
