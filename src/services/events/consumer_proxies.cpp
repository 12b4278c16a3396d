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
  proxies_->access().require_consume();
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
  proxies_->access().require_consume();
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
  if (tells_peer) proxies_->tell(tell_disconnected(std::move(consumer)));
}

// An event that waits already needs no further task.
task<void> PushSupplierProxy::move_all(std::string& reason, bool pauses) {
  const Connection connection = current_connection();
  for (unsigned events = 1;; ++events) {
    EventRef event = connection.queue->take();
    if (!event) event = co_await connection.queue->next();
    if (!event) co_return;
    const Step step = co_await push_once(connection, *event, reason);
    if (step != Step::delivered) {
      const bool goes_on = co_await go_on_after(step, connection, std::move(event), reason);
      if (!goes_on) co_return;
    }
    if (failures_ != 0) {
      failures_ = 0;
      reason.clear();
    }
    if (!pauses || events % events_between_pauses != 0) continue;
    const bool slept = co_await sleep_for(proxies_->orb(), pause_time);
    if (!slept) co_return;
  }
}

PushSupplierProxy::Connection PushSupplierProxy::current_connection() const {
  const std::scoped_lock lock(mutex_);
  return {queue_, consumer_};
}

// An event that the consumer may have got is not sent again.
task<bool> PushSupplierProxy::go_on_after(Step step, const Connection& connection, EventRef event,
                                          std::string& reason) {
  auto delay = std::min(options().first_retry_delay, options().retry_delay_max);
  while (step != Step::delivered) {
    if (step == Step::gone) co_return false;
    if (step == Step::lost) channel_->count_dropped(1);
    if (++failures_ >= options().failures_max) co_return false;
    const bool slept = co_await sleep_for(proxies_->orb(), delay);
    if (!slept) co_return false;
    if (step == Step::lost) {
      event = co_await connection.queue->next();
      if (!event) co_return false;
    } else {
      delay = std::min(delay, options().retry_delay_max / 2) * 2;
    }
    step = co_await push_once(connection, *event, reason);
  }
  co_return true;
}

task<PushSupplierProxy::Step> PushSupplierProxy::push_once(const Connection& connection,
                                                           const Event& event,
                                                           std::string& reason) {
  if (connection.consumer == nullptr || connection.queue->is_closed()) co_return Step::gone;
  try {
    co_await connection.consumer->_async().push(event.data());
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
  proxies_->access().require_consume();
  const std::scoped_lock lock(mutex_);
  if (ended_) throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the proxy has ended");
  if (queue_ != nullptr) throw AlreadyConnected();
  consumer_ = std::move(pull_consumer);
  queue_ = channel_->add_consumer();
  co_return;
}

QueueRef PullSupplierProxy::connected_queue() {
  proxies_->access().require_consume();
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
  proxies_->access().require_consume();
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
  proxies_->tell(tell_disconnected(limited));
}

}  // namespace perigee::events
