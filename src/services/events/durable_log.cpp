// A thread of the store reports events. A loop of the ORB passes them on, in their order, so that
// the tasks of consumers never run on the thread of the store.
#include "services/events/durable_log.h"

#include "services/events/store_exceptions.h"
#include <perigee/async/completion.h>
#include <perigee/async/on_orb.h>
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <future>
#include <utility>

namespace perigee::events {

namespace {

// The limits for the part of a subscription that is in memory.
constexpr std::size_t read_events_max = 64;
constexpr std::size_t read_octets_max = 256 << 10;
// Events that a loop passes on in one turn: it also has to take the replies of consumers.
constexpr std::size_t passed_on_max = 32;
constexpr std::chrono::seconds failure_log_interval(10);

/// The function that completes `result`.
template <typename Value>
Receive<Value> into(completion<std::expected<Value, StoreError>>& result) {
  return [&result](std::expected<Value, StoreError> value) { result.complete(std::move(value)); };
}

}  // namespace

DurableLog::DurableLog(EventStore& store, const CORBA::object_reference<CORBA::ORB>& orb,
                       const Options& options, std::string channel)
    : store_(store), orb_(orb), options_(options), name_(std::move(channel)), codec_(orb) {}

std::vector<Subscription> DurableLog::open(const std::shared_ptr<Channel>& channel) {
  channel_ = channel;
  value_of(store_.open_channel(name_, [log = weak_from_this()](const StoredEvent& event) {
    if (const auto self = log.lock()) self->stored(event);
  }));
  std::promise<std::expected<std::vector<Subscription>, StoreError>> all;
  store_.subscriptions(name_, [&all](auto result) { all.set_value(std::move(result)); });
  return value_of(all.get_future().get());
}

Subscription DurableLog::subscribe_now(const std::string& name, Begin begin) {
  std::promise<std::expected<Subscription, StoreError>> made;
  store_.subscribe(name_, name, begin, [&made](auto result) { made.set_value(std::move(result)); });
  return value_of(made.get_future().get());
}

// --- Requests of the store ---

task<void> DurableLog::append(EventRef event) {
  completion<std::expected<SequenceNumber, StoreError>> result;
  store_.append(name_, codec_.encode(event->data()), into(result));
  const auto number = co_await result;
  if (number) co_return;
  log_failure(number.error().text);
  raise(number.error());
}

task<Subscription> DurableLog::subscribe(std::string name, Begin begin) {
  completion<std::expected<Subscription, StoreError>> result;
  store_.subscribe(name_, name, begin, into(result));
  auto outcome = co_await result;
  co_return value_of(std::move(outcome));
}

task<Subscription> DurableLog::position(std::string name) {
  completion<std::expected<Subscription, StoreError>> result;
  store_.position(name_, name, into(result));
  auto outcome = co_await result;
  co_return value_of(std::move(outcome));
}

task<void> DurableLog::unsubscribe(std::string name) {
  completion<std::expected<void, StoreError>> result;
  store_.unsubscribe(name_, name, into(result));
  auto outcome = co_await result;
  value_of(std::move(outcome));
}

task<std::vector<Subscription>> DurableLog::subscriptions() {
  completion<std::expected<std::vector<Subscription>, StoreError>> result;
  store_.subscriptions(name_, into(result));
  auto outcome = co_await result;
  co_return value_of(std::move(outcome));
}

task<void> DurableLog::acknowledge(std::string name, SequenceNumber number) {
  completion<std::expected<void, StoreError>> result;
  store_.acknowledge(name_, name, number, into(result));
  auto outcome = co_await result;
  value_of(std::move(outcome));
}

task<std::vector<StoredEvent>> DurableLog::read(std::string name, SequenceNumber after) {
  completion<std::expected<std::vector<StoredEvent>, StoreError>> result;
  store_.read(name_, name, after, read_events_max, read_octets_max, into(result));
  auto outcome = co_await result;
  co_return value_of(std::move(outcome));
}

void DurableLog::acknowledge(const std::string& name, SequenceNumber number, Receive<void> done) {
  store_.acknowledge(name_, name, number, std::move(done));
}

void DurableLog::close() {
  const ListenersRef listeners = take_listeners();
  for (const auto& listener : *listeners) listener->end();
}

DurableLog::ListenersRef DurableLog::take_listeners() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(listeners_, std::make_shared<const Listeners>());
}

// --- Stored events ---

void DurableLog::add(const std::shared_ptr<LogListener>& listener) {
  const std::scoped_lock lock(mutex_);
  Listeners more = *listeners_;
  more.push_back(listener);
  listeners_ = std::make_shared<const Listeners>(std::move(more));
}

void DurableLog::remove(const std::shared_ptr<LogListener>& listener) {
  const std::scoped_lock lock(mutex_);
  Listeners fewer = *listeners_;
  std::erase(fewer, listener);
  listeners_ = std::make_shared<const Listeners>(std::move(fewer));
}

void DurableLog::prepare_consumer() {
  event::Reactor& loop = reactor_of(orb_);
  const std::scoped_lock lock(mutex_);
  loop_ = &loop;
}

// If memory runs out, the event counts as dropped, and the thread of the store goes on.
void DurableLog::stored(const StoredEvent& event) noexcept {
  ListenersRef listeners;
  {
    const std::scoped_lock lock(mutex_);
    listeners = listeners_;
  }
  for (const auto& listener : *listeners) listener->wake();
  const auto channel = channel_.lock();
  if (channel == nullptr || !channel->has_consumers()) return;
  try {
    event::Reactor* const loop = keep_for_consumers(event, *channel);
    if (loop != nullptr) post_passing(*loop);
  } catch (const std::exception&) {  // no memory
    channel->count_dropped(1);
  }
}

event::Reactor* DurableLog::keep_for_consumers(const StoredEvent& event, Channel& channel) {
  const std::scoped_lock lock(mutex_);
  if (loop_ == nullptr || passing_octets_ > options_.waiting_octets_max) {
    channel.count_dropped(1);
    return nullptr;
  }
  passing_.push_back(event);
  passing_octets_ += event.octets.size() + octets_per_event;
  return std::exchange(is_passing_, true) ? nullptr : loop_;
}

// An ORB that has ended does not run the function. So the function holds only a weak pointer to the
// log, which would keep the ORB alive.
void DurableLog::post_passing(event::Reactor& loop) noexcept {
  try {
    loop.post([log = weak_from_this()] {
      if (const auto self = log.lock()) self->pass_on_some();
    });
  } catch (const std::exception&) {  // no memory
    const std::scoped_lock lock(mutex_);
    is_passing_ = false;
  }
}

void DurableLog::pass_on_some() noexcept {
  for (std::size_t count = 0; count < passed_on_max; ++count) {
    const std::optional<StoredEvent> event = take_passing();
    if (!event) return;
    pass_on(*event);
  }
  event::Reactor* loop = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    loop = loop_;
  }
  post_passing(*loop);
}

std::optional<StoredEvent> DurableLog::take_passing() {
  const std::scoped_lock lock(mutex_);
  is_passing_ = !passing_.empty();
  if (!is_passing_) return std::nullopt;
  StoredEvent event = std::move(passing_.front());
  passing_.pop_front();
  passing_octets_ -= event.octets.size() + octets_per_event;
  return event;
}

void DurableLog::pass_on(const StoredEvent& event) noexcept {
  const auto channel = channel_.lock();
  if (channel == nullptr) return;
  try {
    auto data = codec_.decode(event.octets);
    if (data)
      channel->pass_on(std::move(*data), event.octets.size());
    else
      note_damaged(event.number);
  } catch (const std::exception&) {  // no memory, also not for an entry in the log
    channel->count_dropped(1);
  }
}

void DurableLog::log_failure(const std::string& text) {
  const TimePoint now = options_.clock->now();
  {
    const std::scoped_lock lock(mutex_);
    if (now < next_failure_log_) return;
    next_failure_log_ = now + failure_log_interval;
  }
  log::write(log::Level::error, "events", "channel " + name_ + ": " + text);
}

void DurableLog::note_damaged(SequenceNumber number) {
  if (const auto channel = channel_.lock()) channel->count_dropped(1);
  log_failure("the stored event " + std::to_string(number) +
              " is damaged, or beyond the limits of the ORB, and is left out");
}

}  // namespace perigee::events
