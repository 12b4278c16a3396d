// Events leave as in consumer_proxies.cpp. The difference: an event whose call has failed is sent
// again, also if the consumer may have it.
#include "services/events/subscription_proxies.h"

#include "services/events/peer_calls.h"
#include "services/events/start_detached.h"
#include <perigee/async/on_orb.h>
#include <perigee/orb/with_policies.h>

#include <chrono>
#include <utility>

namespace perigee::events {

namespace {

using CosEventComm::Disconnected;

// Asking the consumer by `_is_a` would block the thread, so only the type in its reference counts.
bool takes_numbers(const CORBA::Object& consumer) {
  return consumer._interface_repository_id() == PerigeeEvents::NumberedPushConsumer::_type_id;
}

}  // namespace

// --- SubscriptionPushProxy ---

SubscriptionPushProxy::SubscriptionPushProxy(std::shared_ptr<Proxies> proxies,
                                             std::shared_ptr<Channel> channel, FeedRef feed)
    : CallingProxy(std::move(proxies), std::move(channel)), feed_(std::move(feed)) {}

bool SubscriptionPushProxy::is_connected() const {
  const std::scoped_lock lock(mutex_);
  return reader_ != nullptr;
}

task<void> SubscriptionPushProxy::connect_push_consumer(
    CORBA::object_reference<CosEventComm::PushConsumer> push_consumer) {
  proxies_->access().require_consume();
  if (push_consumer == nullptr)
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a push consumer must not be nil");
  const bool pauses = is_own(push_consumer);
  co_await feed_->refresh();
  ReaderRef former;
  {
    const std::scoped_lock lock(mutex_);
    require_unconnected(ended_, reader_ != nullptr);
    consumer_.plain = with_timeout(push_consumer, options().call_time_max);
    if (takes_numbers(*push_consumer))
      consumer_.numbered =
          IDL::traits<PerigeeEvents::NumberedPushConsumer>::unchecked_narrow(consumer_.plain);
    auto readers = feed_->connect();
    reader_ = std::move(readers.connected);
    former = std::move(readers.former);
  }
  if (former != nullptr) former->close();
  start_detached(serve(_self(), *this, "consumer", pauses), stop_.get_token());
  co_return;
}

task<void> SubscriptionPushProxy::disconnect_push_supplier() {
  proxies_->access().require_consume();
  end_self(false);
  co_return;
}

void SubscriptionPushProxy::end(bool tells_peer) {
  Consumer consumer;
  ReaderRef reader;
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    consumer = std::exchange(consumer_, {});
    reader = reader_;
  }
  if (reader == nullptr || consumer.plain == nullptr) return;
  reader->close();
  stop_.request_stop();
  if (tells_peer) proxies_->tell(tell_disconnected(std::move(consumer.plain)));
}

task<void> SubscriptionPushProxy::move_all(std::string& reason, bool pauses) {
  ReaderRef reader;
  {
    const std::scoped_lock lock(mutex_);
    reader = reader_;
  }
  for (unsigned events = 1;; ++events) {
    const std::optional<NumberedEvent> event = co_await reader->next();
    if (!event) co_return;
    // Calls begin on a thread of a loop, which receives their replies.
    if (!reader->loop().is_loop_thread())
      co_await sleep_for(reader->loop(), std::chrono::milliseconds(0));
    const bool goes_on = co_await deliver(*event, reason);
    if (!goes_on) co_return;
    if (!pauses || events % events_between_pauses != 0) continue;
    const bool slept = co_await sleep_for(proxies_->orb(), pause_time);
    if (!slept) co_return;
  }
}

task<bool> SubscriptionPushProxy::deliver(const NumberedEvent& event, std::string& reason) {
  while (true) {
    const PushStep step = co_await push_once(event, reason);
    if (step == PushStep::gone) co_return false;
    if (step == PushStep::delivered) {
      failures_ = 0;
      reason.clear();
      feed_->acknowledge(event.number);
      co_return true;
    }
    if (++failures_ >= options().failures_max) co_return false;
    const bool slept = co_await sleep_for(proxies_->orb(), retry_delay(options(), failures_));
    if (!slept) co_return false;
  }
}

SubscriptionPushProxy::Consumer SubscriptionPushProxy::consumer() const {
  const std::scoped_lock lock(mutex_);
  return consumer_;
}

task<PushStep> SubscriptionPushProxy::push_once(const NumberedEvent& event, std::string& reason) {
  const Consumer called = consumer();
  if (called.plain == nullptr) co_return PushStep::gone;
  try {
    if (called.numbered != nullptr)
      co_await called.numbered->_async().push_numbered(event.number, event.data);
    else
      co_await called.plain->_async().push(event.data);
    channel_->count_delivered();
    co_return PushStep::delivered;
  } catch (const CORBA::Exception&) {
    co_return step_of_failure(reason);
  }
}

// --- SubscriptionPullProxy ---

SubscriptionPullProxy::SubscriptionPullProxy(std::shared_ptr<Proxies> proxies,
                                             std::shared_ptr<Channel> channel, FeedRef feed)
    : Proxy(std::move(proxies), std::move(channel)), feed_(std::move(feed)) {}

bool SubscriptionPullProxy::is_connected() const {
  const std::scoped_lock lock(mutex_);
  return reader_ != nullptr;
}

task<void> SubscriptionPullProxy::connect_pull_consumer(
    CORBA::object_reference<CosEventComm::PullConsumer> pull_consumer) {
  proxies_->access().require_consume();
  co_await feed_->refresh();
  ReaderRef former;
  {
    const std::scoped_lock lock(mutex_);
    require_unconnected(ended_, reader_ != nullptr);
    consumer_ = std::move(pull_consumer);
    auto readers = feed_->connect();
    reader_ = std::move(readers.connected);
    former = std::move(readers.former);
  }
  if (former != nullptr) former->close();
  co_return;
}

ReaderRef SubscriptionPullProxy::connected_reader() {
  proxies_->access().require_consume();
  note_use();
  ReaderRef reader;
  {
    const std::scoped_lock lock(mutex_);
    reader = reader_;
  }
  if (reader == nullptr) throw Disconnected();
  if (reader->is_closed()) raise_disconnected();
  return reader;
}

SequenceNumber SubscriptionPullProxy::take_given() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(given_, 0);
}

void SubscriptionPullProxy::acknowledge_given() {
  const SequenceNumber number = take_given();
  if (number != 0) feed_->acknowledge(number);
}

void SubscriptionPullProxy::note_given(SequenceNumber number) {
  const std::scoped_lock lock(mutex_);
  given_ = number;
}

task<NumberedEvent> SubscriptionPullProxy::wait_for_event(ReaderRef reader) {
  std::optional<NumberedEvent> event;
  {
    const RequestLimit::Place place(proxies_->waiting_pulls());
    const ShutdownWatch::Waiting waiting(proxies_->watch(), options().pull_wait_max);
    event = co_await reader->next(waiting.expiry());
    note_use();
  }
  if (!event && reader->is_closed()) raise_disconnected();
  if (!event) raise_no_event_yet();
  channel_->count_delivered();
  co_return std::move(*event);
}

task<CORBA::Any> SubscriptionPullProxy::pull() {
  ReaderRef reader = connected_reader();
  acknowledge_given();
  NumberedEvent event = co_await wait_for_event(std::move(reader));
  note_given(event.number);
  co_return std::move(event.data);
}

task<CosEventComm::PullSupplier_try_pull_results> SubscriptionPullProxy::try_pull() {
  const ReaderRef reader = connected_reader();
  acknowledge_given();
  std::optional<NumberedEvent> event = co_await reader->try_next();
  if (!event && reader->is_closed()) raise_disconnected();
  if (!event) co_return reply_to_try_pull(std::nullopt);
  channel_->count_delivered();
  note_given(event->number);
  co_return reply_to_try_pull(std::move(event->data));
}

// A repeated call finds the same position, and so gets the same event.
task<PerigeeEvents::NumberedEvent> SubscriptionPullProxy::pull_after(std::uint64_t number) {
  ReaderRef reader = connected_reader();
  feed_->require_delivered(number);
  feed_->acknowledge(number);
  reader->move_to(feed_->acknowledged());
  NumberedEvent event = co_await wait_for_event(std::move(reader));
  co_return PerigeeEvents::NumberedEvent(event.number, std::move(event.data));
}

task<void> SubscriptionPullProxy::acknowledge(std::uint64_t number) {
  const ReaderRef reader = connected_reader();
  feed_->require_delivered(number);
  co_await feed_->acknowledge_durably(number);
}

// The consumer may end when it has the reply, so the acknowledgement is durable by then. An event
// without an acknowledgement is delivered again.
task<void> SubscriptionPullProxy::disconnect_pull_supplier() {
  proxies_->access().require_consume();
  const SequenceNumber number = take_given();
  if (number != 0) {
    try {
      co_await feed_->acknowledge_durably(number);
    } catch (const CORBA::SystemException& failure) {
      feed_->log().log_failure("the last event of the subscription " + feed_->name() +
                               " was not acknowledged: " + failure.what());
    }
  }
  end_self(false);
}

void SubscriptionPullProxy::end(bool tells_peer) {
  CORBA::object_reference<CosEventComm::PullConsumer> consumer;
  ReaderRef reader;
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    consumer = std::move(consumer_);
    reader = reader_;
  }
  if (reader == nullptr) return;
  reader->close();
  if (!tells_peer || consumer == nullptr) return;
  const auto limited = with_timeout(consumer, options().call_time_max);
  proxies_->tell(tell_disconnected(limited));
}

}  // namespace perigee::events
