// Waiting as the caller's thread may: on a condition, or in turns of its loop.
#include "orb/collocated_wait.h"

#include "orb/orb_core.h"

namespace perigee::orb {

void CollocatedWait::end(messaging::ReplyStatus outcome) noexcept {
  std::move_only_function<void()> then;
  {
    const std::lock_guard lock(mutex_);
    status = outcome;
    ended_ = true;
    ended_now_.notify_all();
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

FailureCause CollocatedWait::await(OrbCore& core, const CallDeadline* deadline) {
  if (ended()) return FailureCause::none;
  const ThreadStrategy strategy = core.settings().thread_strategy;
  const bool loops =
      strategy == ThreadStrategy::reactive || strategy == ThreadStrategy::reactor_per_core;
  return loops && core.server() != nullptr ? await_on_loop(core, deadline)
                                           : await_here(core, deadline);
}

FailureCause CollocatedWait::await_on_loop(OrbCore& core, const CallDeadline* deadline) {
  {
    const std::lock_guard lock(mutex_);
    event_ = event::Signal::make();
  }
  const TimePoint until = deadline != nullptr ? deadline->end() : Server::for_ever;
  while (event_ && !ended()) {
    switch (core.server()->wait_readable(event_.handle(), until)) {
      case Server::Nested::readable:
        break;
      case Server::Nested::timed_out:
        return ended() ? FailureCause::none : FailureCause::deadline;
      case Server::Nested::too_deep:
        return FailureCause::nested_too_deep;
      case Server::Nested::not_here:
        return await_here(core, deadline);
    }
  }
  return ended() ? FailureCause::none : await_here(core, deadline);
}

FailureCause CollocatedWait::await_here(OrbCore& core, const CallDeadline* deadline) {
  Server* const server = UpcallScope::inside(core) ? core.server() : nullptr;
  if (server != nullptr && !server->begin_wait()) return FailureCause::nested_too_deep;
  struct Waiting {
    Server* server;
    ~Waiting() {
      if (server != nullptr) server->end_wait();
    }
  } const waiting{server};
  std::unique_lock lock(mutex_);
  while (!ended_) {
    if (deadline == nullptr)
      ended_now_.wait(lock);
    else if (ended_now_.wait_for(lock, deadline->left()) == std::cv_status::timeout &&
             deadline->expired())
      break;
  }
  return ended_ ? FailureCause::none : FailureCause::deadline;
}

}  // namespace perigee::orb
