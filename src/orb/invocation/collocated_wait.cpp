// The caller's thread waits on a condition, or runs turns of its loop.
#include "orb/invocation/collocated_wait.h"

#include "orb/context/call_driver.h"
#include "orb/context/orb_context.h"
#include "orb/invocation/nested_wait.h"
#include "orb/values/reference_factory.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/log.h>

#include <exception>
#include <vector>

namespace perigee::orb {

void KeptContexts::assign(std::span<const iop::ServiceContext> contexts) {
  octets_.clear();
  for (const iop::ServiceContext& context : contexts)
    octets_.insert(octets_.end(), context.data.begin(), context.data.end());
  contexts_.clear();
  OctetSpan left(octets_);
  for (const iop::ServiceContext& context : contexts) {
    contexts_.push_back({context.id, left.first(context.data.size())});
    left = left.subspan(context.data.size());
  }
}

void CollocatedWait::end(messaging::ReplyStatus outcome) noexcept {
  std::move_only_function<void()> then;
  {
    const std::lock_guard lock(mutex_);
    status = outcome;
    ended_ = true;
    event_.raise();
    then = std::move(then_);
  }
  if (then) then();
}

bool CollocatedWait::when_ended(std::move_only_function<void()> then) {
  const std::lock_guard lock(mutex_);
  if (ended_) return false;
  then_ = std::move(then);
  return true;
}

bool CollocatedWait::ended() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

FailureCause CollocatedWait::await(const OrbContext& context, Deadline deadline) {
  if (ended()) return FailureCause::none;
  const bool serves = serves_while_waiting(context.settings.thread_strategy);
  return serves && context.server != nullptr ? await_on_loop(context, deadline)
                                             : await_here(context, deadline);
}

FailureCause CollocatedWait::await_on_loop(const OrbContext& context, Deadline deadline) {
  {
    const std::lock_guard lock(mutex_);
    event_ = event::Signal::make();
  }
  while (event_ && !ended()) {
    switch (context.server->wait_readable(event_.handle(), deadline)) {
      case Server::Nested::readable:
        break;
      case Server::Nested::timed_out:
        return ended() ? FailureCause::none : FailureCause::deadline;
      case Server::Nested::too_deep:
        return FailureCause::nested_too_deep;
      case Server::Nested::not_here:
        return await_here(context, deadline);
    }
  }
  return ended() ? FailureCause::none : await_here(context, deadline);
}

FailureCause CollocatedWait::await_here(const OrbContext& context, Deadline deadline) {
  NestedWait waiting;
  if (!waiting.begin(context)) return FailureCause::nested_too_deep;
  return drive(context, deadline);
}

// Runs the loop of asynchronous calls: the servant may wait for a call whose loop no other thread
// runs.
FailureCause CollocatedWait::drive(const OrbContext& context, Deadline deadline) try {
  (void)context.calls.engine();  // made before the wait begins
  if (!when_ended([orb = context.references.share(), &calls = context.calls] { calls.wake(); }))
    return FailureCause::none;
  const bool driven = context.calls.drive_until([this] { return ended(); }, deadline);
  const std::lock_guard lock(mutex_);
  then_ = nullptr;
  if (ended_) return FailureCause::none;
  return driven ? FailureCause::deadline : FailureCause::nested_too_deep;
} catch (const CORBA::NO_RESOURCES& exception) {  // the servant has begun
  throw CORBA::NO_RESOURCES(exception.minor(), CORBA::COMPLETED_MAYBE, exception.what());
}

void CollocatedDeferrals::add(CollocatedWait& wait) {
  const std::lock_guard lock(mutex_);
  deferred_.insert(&wait);
  if (cancelled_) (void)wait.cancellation.cancel();  // there is no stop token to notify yet
}

void CollocatedDeferrals::remove(CollocatedWait& wait) noexcept {
  const std::lock_guard lock(mutex_);
  deferred_.erase(&wait);
}

bool CollocatedDeferrals::empty() const noexcept {
  const std::lock_guard lock(mutex_);
  return deferred_.empty();
}

void CollocatedDeferrals::cancel() noexcept try {
  std::vector<CancellationNotice> stops;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    for (CollocatedWait* const wait : deferred_) stops.push_back(wait->cancellation.cancel());
  }
  for (CancellationNotice& stop : stops) stop.request_stop();
} catch (const std::exception& exception) {
  log::write(log::Level::warning, "orb", exception.what());
}

}  // namespace perigee::orb
