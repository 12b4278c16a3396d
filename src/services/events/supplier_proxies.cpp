// Events come in by requests of push suppliers, or by calls of pull suppliers.
#include "services/events/supplier_proxies.h"

#include "services/events/peer_calls.h"
#include "services/events/start_detached.h"
#include <perigee/async/on_orb.h>
#include <perigee/base/log.h>
#include <perigee/orb/with_policies.h>

#include <chrono>

namespace perigee::events {

namespace {

using CosEventComm::Disconnected;

/// False: the log never keeps this event.
bool may_try_again(const CORBA::SystemException& failure) {
  return dynamic_cast<const CORBA::IMP_LIMIT*>(&failure) == nullptr &&
         dynamic_cast<const CORBA::BAD_PARAM*>(&failure) == nullptr;
}

/// Lets the next push go on at the end of a block.
class EndOfTurn {
 public:
  explicit EndOfTurn(PushOrder& order) noexcept : order_(order) {}
  ~EndOfTurn() { order_.end(); }
  EndOfTurn(const EndOfTurn&) = delete;
  EndOfTurn& operator=(const EndOfTurn&) = delete;

 private:
  PushOrder& order_;
};

}  // namespace

// --- PushConsumerProxy ---

bool PushConsumerProxy::is_connected() const {
  const std::scoped_lock lock(mutex_);
  return connected_;
}

task<void> PushConsumerProxy::connect_push_supplier(
    CORBA::object_reference<CosEventComm::PushSupplier> push_supplier) {
  proxies_->access().require_supply();
  const std::scoped_lock lock(mutex_);
  require_unconnected(ended_, connected_);
  connected_ = true;
  supplier_ = std::move(push_supplier);
  channel_->add_supplier();
  co_return;
}

task<void> PushConsumerProxy::push(CORBA::Any data) {
  proxies_->access().require_supply();
  note_use();
  if (!is_connected()) throw Disconnected();
  if (options().overflow != Overflow::block || channel_->is_durable())
    co_return co_await channel_->publish(channel_->accept(std::move(data)));
  const RequestLimit::Place place(proxies_->waiting_pushes());
  const EventRef event = channel_->accept(std::move(data));
  if (!order_.try_begin()) co_await wait_for_turn();
  const EndOfTurn end(order_);
  co_await channel_->publish(event);
}

task<void> PushConsumerProxy::wait_for_turn() {
  const ShutdownWatch::Waiting waiting(proxies_->watch());
  const bool has_turn = co_await order_.begin();
  if (!has_turn)
    throw CORBA::TRANSIENT(0, CORBA::COMPLETED_NO, "the client has cancelled the call");
}

task<void> PushConsumerProxy::disconnect_push_consumer() {
  proxies_->access().require_supply();
  end_self(false);
  co_return;
}

void PushConsumerProxy::end(bool tells_peer) {
  CORBA::object_reference<CosEventComm::PushSupplier> supplier;
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    if (!std::exchange(connected_, false)) return;
    supplier = std::move(supplier_);
  }
  channel_->remove_supplier();
  if (!tells_peer || supplier == nullptr) return;
  const auto limited = with_timeout(supplier, options().call_time_max);
  proxies_->tell(tell_disconnected(limited));
}

// --- PullConsumerProxy ---

bool PullConsumerProxy::is_connected() const {
  const std::scoped_lock lock(mutex_);
  return connected_;
}

task<void> PullConsumerProxy::connect_pull_supplier(
    CORBA::object_reference<CosEventComm::PullSupplier> pull_supplier) {
  proxies_->access().require_supply();
  if (pull_supplier == nullptr)
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a pull supplier must not be nil");
  const bool pauses = is_own(pull_supplier);
  std::stop_token stop;
  {
    const std::scoped_lock lock(mutex_);
    require_unconnected(ended_, connected_);
    connected_ = true;
    channel_->add_supplier();
    supplier_ = with_timeout(pull_supplier, options().call_time_max);
    stop = stop_.get_token();
  }
  start_detached(serve(_self(), *this, "supplier", pauses), std::move(stop));
  co_return;
}

task<void> PullConsumerProxy::disconnect_pull_consumer() {
  proxies_->access().require_supply();
  end_self(false);
  co_return;
}

void PullConsumerProxy::end(bool tells_peer) {
  CORBA::object_reference<CosEventComm::PullSupplier> supplier;
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
    if (!std::exchange(connected_, false)) return;
    supplier = std::move(supplier_);
  }
  channel_->remove_supplier();
  stop_.request_stop();
  if (tells_peer) proxies_->tell(tell_disconnected(std::move(supplier)));
}

task<void> PullConsumerProxy::move_all(std::string& reason, bool pauses) {
  const std::stop_token stop = co_await stop_token_of_this_task();
  event::Reactor& loop = reactor_of(proxies_->orb());
  for (unsigned events = 1; !stop.stop_requested(); ++events) {
    Step step = Step::idle;
    if (!channel_->is_over_limit()) step = co_await pull_once(reason);
    if (step == Step::gone) co_return;
    // A thread of the log may have resumed this task. Calls begin on a thread of a loop.
    if (channel_->is_durable() && !loop.is_loop_thread())
      co_await sleep_for(loop, std::chrono::milliseconds(0));
    if (step == Step::idle) co_await sleep_for(proxies_->orb(), options().pull_interval);
    if (pauses && events % events_between_pauses == 0)
      co_await sleep_for(proxies_->orb(), pause_time);
  }
}

task<PullConsumerProxy::Step> PullConsumerProxy::pull_once(std::string& reason) {
  CORBA::object_reference<CosEventComm::PullSupplier> supplier;
  {
    const std::scoped_lock lock(mutex_);
    supplier = supplier_;
  }
  if (supplier == nullptr) co_return Step::gone;
  CORBA::Any data;
  try {
    auto answer = co_await supplier->_async().try_pull();
    if (!answer.has_event()) {
      failures_ = 0;
      reason.clear();
      co_return Step::idle;
    }
    data = std::move(answer.return_value());
  } catch (const Disconnected& exception) {
    reason = exception.what();
    co_return Step::gone;
  } catch (const CORBA::OBJECT_NOT_EXIST& exception) {
    reason = exception.what();
    co_return Step::gone;
  } catch (const CORBA::SystemException& exception) {
    reason = exception.what();
    co_return count_failure();
  }
  const EventRef event = keep(std::move(data), reason);
  if (event == nullptr) co_return count_failure();
  failures_ = 0;
  reason.clear();
  if (channel_->is_durable())
    co_await publish_durably(event);
  else
    co_await channel_->publish(event);
  co_return Step::event;
}

// The supplier has given the event away, so the channel tries until its log has kept it.
task<void> PullConsumerProxy::publish_durably(EventRef event) {
  event::Reactor& loop = reactor_of(proxies_->orb());
  for (unsigned attempts = 1;; ++attempts) {
    bool goes_on = false;
    try {
      co_await channel_->publish(event);
    } catch (const CORBA::SystemException& exception) {
      goes_on = may_try_again(exception);
      log::write(log::Level::warning, "events",
                 "channel " + channel_->name() + ": an event of a pull supplier was not kept" +
                     (goes_on ? ", and is tried again: " : ": ") + exception.what());
    }
    if (!goes_on) co_return;
    const bool slept = co_await sleep_for(loop, retry_delay(options(), attempts));
    if (!slept) co_return;
  }
}

PullConsumerProxy::Step PullConsumerProxy::count_failure() noexcept {
  return ++failures_ >= options().failures_max ? Step::gone : Step::idle;
}

EventRef PullConsumerProxy::keep(CORBA::Any data, std::string& reason) {
  try {
    return channel_->keep(std::move(data));
  } catch (const CORBA::SystemException& exception) {
    reason = exception.what();
  }
  if (failures_ == 0)
    log::write(
        log::Level::warning, "events",
        "channel " + channel_->name() + ": an event of a pull supplier was dropped: " + reason);
  return nullptr;
}

}  // namespace perigee::events
