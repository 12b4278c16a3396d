// Events leave by calls of push consumers, or by replies to pull consumers.
#include "services/events/consumer_proxies.h"

#include "services/events/peer_calls.h"
#include "services/events/start_detached.h"
#include <perigee/async/on_orb.h>
#include <perigee/orb/with_policies.h>

#include <optional>
#include <utility>

namespace perigee::events {

namespace {

using CosEventComm::Disconnected;

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
    require_unconnected(ended_, queue_ != nullptr);
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
  stop_.request_stop();  // first: the task must not take the end of its queue for a failure
  channel_->remove_consumer(queue);
  if (tells_peer) proxies_->tell(tell_disconnected(std::move(consumer)));
}

task<void> PushSupplierProxy::move_all(std::string& reason, bool pauses) {
  const Connection connection = current_connection();
  if (connection.consumer == nullptr) co_return;
  if (pauses || options().pushes_per_consumer_max <= 1)
    co_await move_each(connection, reason, pauses);
  else
    co_await move_several(connection, reason);
  const std::stop_token stop = co_await stop_token_of_this_task();
  if (!stop.stop_requested()) channel_->count_dropped(connection.queue->close());
}

// An event that waits already needs no further task.
task<void> PushSupplierProxy::move_each(const Connection& connection, std::string& reason,
                                        bool pauses) {
  for (unsigned events = 1;; ++events) {
    EventRef event = connection.queue->take();
    if (!event) event = co_await connection.queue->next();
    if (!event) co_return;
    const bool goes_on = co_await deliver(connection, std::move(event), reason);
    if (!goes_on) co_return;
    if (!pauses || events % events_between_pauses != 0) continue;
    const bool slept = co_await sleep_for(proxies_->orb(), pause_time);
    if (!slept) co_return;
  }
}

task<void> PushSupplierProxy::move_several(const Connection& connection, std::string& reason) {
  PushWindow window(connection.consumer);
  EventRef next;
  while (true) {
    fill(window, *connection.queue, next);
    if (window.is_empty()) {
      next = co_await connection.queue->next();
      if (!next) co_return;
      continue;
    }
    const PushStep step = co_await window.end_of_oldest(reason);
    if (step == PushStep::delivered) {
      note_delivered(reason);
      continue;
    }
    const bool goes_on = co_await recover(connection, window, step, reason);
    if (goes_on) continue;
    if (next) channel_->count_dropped(1);
    co_return;
  }
}

// An event for which the window has no room yet stays in `next`.
void PushSupplierProxy::fill(PushWindow& window, EventQueue& queue, EventRef& next) {
  const std::size_t pushes_max = proxies_->pushes_per_consumer_max();
  while (true) {
    if (!next) next = queue.take();
    if (!next || !window.has_room(*next, pushes_max)) return;
    window.start(std::exchange(next, nullptr));
  }
}

// All calls that have failed together count as one failure. A call that this ORB has refused behind
// others says nothing about the consumer.
task<bool> PushSupplierProxy::recover(const Connection& connection, PushWindow& window,
                                      PushStep failed, std::string& reason) {
  const bool was_refused = failed == PushStep::again && window.oldest_was_refused();
  const PushWindow::Rest rest = co_await window.drain(failed, reason);
  for (std::size_t event = 0; event < rest.delivered; ++event) channel_->count_delivered();
  const std::stop_token stop = co_await stop_token_of_this_task();
  if (stop.stop_requested()) co_return false;
  channel_->count_dropped(rest.lost);
  if (rest.ends_well && !rest.is_gone) {
    failures_ = 0;
    reason.clear();
    co_return true;
  }
  if (rest.is_gone || (!was_refused && ++failures_ >= options().failures_max)) {
    channel_->count_dropped(rest.again.size());
    co_return false;
  }
  const bool slept = co_await sleep_for(proxies_->orb(), retry_delay(options(), failures_));
  if (!slept) co_return false;
  co_return co_await deliver_all(connection, rest.again, reason);
}

task<bool> PushSupplierProxy::deliver_all(const Connection& connection,
                                          const std::vector<EventRef>& events,
                                          std::string& reason) {
  for (std::size_t index = 0; index < events.size(); ++index) {
    const bool goes_on = co_await deliver(connection, events[index], reason);
    if (goes_on) continue;
    channel_->count_dropped(events.size() - index - 1);
    co_return false;
  }
  co_return true;
}

void PushSupplierProxy::note_delivered(std::string& reason) {
  channel_->count_delivered();
  if (std::exchange(failures_, 0) != 0) reason.clear();
}

PushSupplierProxy::Connection PushSupplierProxy::current_connection() const {
  const std::scoped_lock lock(mutex_);
  return {queue_, consumer_};
}

// An event that the consumer may have got is not sent again.
task<bool> PushSupplierProxy::deliver(const Connection& connection, EventRef event,
                                      std::string& reason) {
  const std::stop_token stop = co_await stop_token_of_this_task();
  while (!connection.queue->is_closed()) {
    const PushStep step = co_await push_once(connection.consumer, event, reason);
    if (step == PushStep::delivered) {
      note_delivered(reason);
      co_return true;
    }
    if (stop.stop_requested()) co_return false;
    const bool gives_up = step == PushStep::gone || ++failures_ >= options().failures_max;
    if (gives_up || step == PushStep::lost) channel_->count_dropped(1);
    if (gives_up) co_return false;
    const bool slept = co_await sleep_for(proxies_->orb(), retry_delay(options(), failures_));
    if (!slept) co_return false;
    if (step == PushStep::lost) co_return true;  // goes on with the next event
  }
  co_return false;
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
  require_unconnected(ended_, queue_ != nullptr);
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
  if (!event) raise_no_event_yet();
  channel_->count_delivered();
  co_return event->data();
}

task<CosEventComm::PullSupplier_try_pull_results> PullSupplierProxy::try_pull() {
  const QueueRef queue = connected_queue();
  const EventRef event = queue->take();
  if (!event && queue->is_closed()) raise_disconnected();
  if (!event) co_return reply_to_try_pull(std::nullopt);
  channel_->count_delivered();
  co_return reply_to_try_pull(event->data());
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
