// Both kinds of consumers' proxies, those of channels and those of subscriptions, use it.
#include "services/events/peer_calls.h"

#include <perigee/orb/any_operators.h>
#include <perigee/orb/exceptions.h>

#include <algorithm>
#include <utility>

namespace perigee::events {

task<void> tell_disconnected(CORBA::object_reference<CosEventComm::PushConsumer> consumer) {
  co_await consumer->_async().disconnect_push_consumer();
}
task<void> tell_disconnected(CORBA::object_reference<CosEventComm::PullConsumer> consumer) {
  co_await consumer->_async().disconnect_pull_consumer();
}
task<void> tell_disconnected(CORBA::object_reference<CosEventComm::PushSupplier> supplier) {
  co_await supplier->_async().disconnect_push_supplier();
}
task<void> tell_disconnected(CORBA::object_reference<CosEventComm::PullSupplier> supplier) {
  co_await supplier->_async().disconnect_pull_supplier();
}

std::chrono::milliseconds retry_delay(const Options& options, unsigned failures) {
  const auto delay_max = options.retry_delay_max;
  auto delay = std::min(options.first_retry_delay, delay_max);
  for (unsigned failure = 1; failure < failures && delay.count() > 0 && delay < delay_max;
       ++failure)
    delay = delay > delay_max / 2 ? delay_max : 2 * delay;
  return delay;
}

CosEventComm::PullSupplier_try_pull_results reply_to_try_pull(std::optional<CORBA::Any> event) {
  CosEventComm::PullSupplier_try_pull_results results;
  results.has_event(event.has_value());
  if (!event) {
    event.emplace();
    *event <<= false;  // a value without meaning: some ORBs cannot receive an any without value
  }
  results.return_value(std::move(*event));
  return results;
}

void raise_no_event_yet() {
  throw CORBA::TRANSIENT(minor_no_event_yet, CORBA::COMPLETED_NO,
                         "no event came in time, or the client has cancelled the call");
}

}  // namespace perigee::events
