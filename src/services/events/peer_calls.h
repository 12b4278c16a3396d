// What proxies have in common when they call their peers, and when they reply to them.
#pragma once

#include <perigee/async/task.h>
#include <perigee/orb/any.h>
#include <perigee/services/events/options.h>

#include <CosEventCommAsync.h>

#include <chrono>
#include <optional>

namespace perigee::events {

/// Tell a peer that its proxy has ended.
task<void> tell_disconnected(CORBA::object_reference<CosEventComm::PushConsumer> consumer);
task<void> tell_disconnected(CORBA::object_reference<CosEventComm::PullConsumer> consumer);
task<void> tell_disconnected(CORBA::object_reference<CosEventComm::PushSupplier> supplier);
task<void> tell_disconnected(CORBA::object_reference<CosEventComm::PullSupplier> supplier);

/// The time before the next attempt, after so many failures in a row: it doubles up to
/// Options::retry_delay_max.
[[nodiscard]] std::chrono::milliseconds retry_delay(const Options& options, unsigned failures);

/// The reply to `try_pull`: an event, or none.
[[nodiscard]] CosEventComm::PullSupplier_try_pull_results reply_to_try_pull(
    std::optional<CORBA::Any> event);
/// The reply to a `pull` for which no event has come: TRANSIENT.
[[noreturn]] void raise_no_event_yet();

}  // namespace perigee::events
