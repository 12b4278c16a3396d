// Events leave by calls of push consumers, or by replies to pull consumers.
#include "services/events/consumer_proxies.h"

#include "services/events/start_detached.h"
#include <perigee/async/on_orb.h>
#include <perigee/orb/any_operators.h>
#include <perigee/orb/with_policies.h>

#include <algorithm>

namespace perigee::events {

namespace {

using CosEventChannelAdmin::AlreadyConnected;
using CosEventComm::Disconnected;

task<void> tell_disconnected(CORBA::object_reference<CosEventComm::PushConsumer> consumer) {
  co_await consumer->_async().disconnect_push_consumer();
}
task<void> tell_disconnected(CORBA::object_reference<CosEventComm::PullConsumer> consumer) {
  co_await consumer->_async().disconnect_pull_consumer();
}

}  // namespace

// --- PushSupplierProxy ---

bool PushSupplierProxy::is_connected() const {
  const std::scoped_lock lock(mutex_);
  return queue_ != nullptr;
}

task<void> PushSupplierProxy::connect_push_consumer(
    CORBA::object_reference<CosEventComm::PushConsumer> push_consumer) {
  if (push_consumer == nullptr)
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a push consumer must not be nil");
  const bool pauses = is_own(push_consumer);
  {
    const std::scoped_lock lock(mutex_);
    if (ended_) throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the proxy has ended");
    if (queue_ != nullptr) throw AlreadyConnected();
    consumer_ = with_timeout(push_consumer, options().call_time_max);
    queue_ = channel_->add_consumer();
  }
  start_detached(serve(_self(), *this, "consumer", pauses), stop_.get_token());
  co_return;
}

task<void> PushSupplierProxy::disconnect_push_supplier() {
  end_self(false);
  co_return;
}

void PushSupplierProxy::end(bool tells_peer) {
  CORBA::object_reference<CosEventComm::PushConsumer> consumer;
  QueueRef queue;
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    consumer = std::move(consumer_);
    queue = queue_;
  }
  if (queue == nullptr || consumer == nullptr) return;
  channel_->remove_consumer(queue);
  stop_.request_stop();
  if (tells_peer) start_detached(tell_disconnected(std::move(consumer)));
}

task<void> PushSupplierProxy::move_all(std::string& reason, bool pauses) {
  QueueRef queue;
  {
    const std::scoped_lock lock(mutex_);
    queue = queue_;
  }
  for (unsigned events = 1;; ++events) {
    EventRef event = co_await queue->next();
    if (!event) co_return;
    const bool goes_on = co_await deliver(std::move(event), reason);
    if (!goes_on) co_return;
    if (!pauses || events % events_between_pauses != 0) continue;
    const bool slept = co_await sleep_for(proxies_->orb(), pause_time);
    if (!slept) co_return;
  }
}

// An event that the consumer may have got is not sent again.
task<bool> PushSupplierProxy::deliver(EventRef event, std::string& reason) {
  auto delay = std::min(options().first_retry_delay, options().retry_delay_max);
  while (true) {
    const Step step = co_await push_once(event, reason);
    if (step == Step::gone) co_return false;
    if (step == Step::delivered) {
      failures_ = 0;
      reason.clear();
      co_return true;
    }
    if (step == Step::lost) channel_->count_dropped(1);
    if (++failures_ >= options().failures_max) co_return false;
    const bool slept = co_await sleep_for(proxies_->orb(), delay);
    if (!slept) co_return false;
    if (step == Step::lost) co_return true;  // goes on with the next event
    delay = std::min(delay, options().retry_delay_max / 2) * 2;
  }
}

task<PushSupplierProxy::Step> PushSupplierProxy::push_once(EventRef event, std::string& reason) {
  CORBA::object_reference<CosEventComm::PushConsumer> consumer;
  {
    const std::scoped_lock lock(mutex_);
    consumer = consumer_;
  }
  if (consumer == nullptr) co_return Step::gone;
  try {
    co_await consumer->_async().push(event->data());
    channel_->count_delivered();
    co_return Step::delivered;
  } catch (const Disconnected& exception) {
    reason = exception.what();
    co_return Step::gone;
  } catch (const CORBA::OBJECT_NOT_EXIST& exception) {
    reason = exception.what();
    co_return Step::gone;
  } catch (const CORBA::SystemException& exception) {
    reason = exception.what();
    co_return exception.completed() == CORBA::COMPLETED_NO ? Step::again : Step::lost;
  }
}

// --- PullSupplierProxy ---

bool PullSupplierProxy::is_connected() const {
  const std::scoped_lock lock(mutex_);
  return queue_ != nullptr;
}

task<void> PullSupplierProxy::connect_pull_consumer(
    CORBA::object_reference<CosEventComm::PullConsumer> pull_consumer) {
  const std::scoped_lock lock(mutex_);
  if (ended_) throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the proxy has ended");
  if (queue_ != nullptr) throw AlreadyConnected();
  consumer_ = std::move(pull_consumer);
  queue_ = channel_->add_consumer();
  co_return;
}

QueueRef PullSupplierProxy::connected_queue() {
  note_use();
  const std::scoped_lock lock(mutex_);
  if (queue_ == nullptr) throw Disconnected();
  return queue_;
}

void PullSupplierProxy::raise_disconnected() {
  end_self(true);
  throw Disconnected();
}

task<CORBA::Any> PullSupplierProxy::pull() {
  const QueueRef queue = connected_queue();
  EventRef event = queue->take();
  if (!event) {
    const RequestLimit::Place of_proxy(waiting_pulls_);
    const RequestLimit::Place of_service(proxies_->waiting_pulls());
    const ShutdownWatch::Waiting waiting(proxies_->watch(), options().pull_wait_max);
    event = co_await queue->next(waiting.expiry());
    note_use();
  }
  if (!event && queue->is_closed()) raise_disconnected();
  if (!event)
    throw CORBA::TRANSIENT(minor_no_event_yet, CORBA::COMPLETED_NO,
                           "no event came in time, or the client has cancelled the call");
  channel_->count_delivered();
  co_return event->data();
}

task<CosEventComm::PullSupplier_try_pull_results> PullSupplierProxy::try_pull() {
  const QueueRef queue = connected_queue();
  const EventRef event = queue->take();
  if (!event && queue->is_closed()) raise_disconnected();
  CosEventComm::PullSupplier_try_pull_results results;
  results.has_event(event != nullptr);
  if (event) {
    channel_->count_delivered();
    results.return_value(event->data());
  } else {
    CORBA::Any nothing;
    nothing <<= false;  // a value without meaning: some ORBs cannot receive an any without value
    results.return_value(std::move(nothing));
  }
  co_return results;
}

task<void> PullSupplierProxy::disconnect_pull_supplier() {
  end_self(false);
  co_return;
}

void PullSupplierProxy::end(bool tells_peer) {
  CORBA::object_reference<CosEventComm::PullConsumer> consumer;
  QueueRef queue;
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    consumer = std::move(consumer_);
    queue = queue_;
  }
  if (queue == nullptr) return;
  channel_->remove_consumer(queue);
  if (!tells_peer || consumer == nullptr) return;
  const auto limited = with_timeout(consumer, options().call_time_max);
  start_detached(tell_disconnected(limited));
}

}  // namespace perigee::events
