// A call while no thread works on it: its places, its time limits, and its end.
#include "orb/async/async_call.h"
#include "orb/async/async_engine.h"
#include "orb/context/call_driver.h"
#include "orb/context/orb_context.h"
#include "orb/invocation/collocated_wait.h"
#include "orb/invocation/nested_wait.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace perigee::orb {

// --- A collocated servant that answers later ---

void AsyncCall::await_servant(const std::shared_ptr<CollocatedWait>& later) noexcept {
  FailureCause leaving = FailureCause::none;
  add_owner();  // until the servant has answered: another thread may end the call at once
  {
    const std::lock_guard lock(lock_);
    leaving = leaving_;
    if (leaving == FailureCause::none && !calls_.await_servant(*this))
      leaving = FailureCause::shut_down;
    if (leaving == FailureCause::none) {
      place_ = Place::servant;
      later_ = later;
      watch_time();
    }
  }
  if (leaving != FailureCause::none) {
    fail_now(InvocationStage::awaiting, leaving, true);
    (void)later->cancellation.cancel().request_stop();
    return remove_owner();
  }
  try {
    if (!later->when_ended([this] { servant_answered(); })) servant_answered();
  } catch (const std::exception& exception) {  // no memory
    log::write(log::Level::error, "orb", exception.what());
    leave(FailureCause::no_memory);
    remove_owner();
  }
}

// Called by the thread that answers, or by `await_servant` if the answer is already there.
void AsyncCall::servant_answered() noexcept {
  bool taken = false;
  {
    const std::lock_guard lock(lock_);
    taken = place_ == Place::servant;
    if (taken) {
      place_ = Place::worked_on;
      answer_ = std::move(later_);
      calls_.servant_done(*this);
    }
  }
  if (taken) {
    forget_time();
    post(&AsyncCall::take_answer);
  }
  remove_owner();
}

void AsyncCall::take_answer() noexcept {
  if (interception) interception->keep_reply_contexts(answer_->contexts.get());
  advance(take_collocated(answer_->status, answer_->body));
}

// --- Places ---

// The thread that works on the call looks at `leaving_` before the call goes to its next place.
void AsyncCall::leave(FailureCause cause) noexcept {
  bool accepted = false;
  engine::ConnectionRef left;
  std::shared_ptr<CollocatedWait> later;
  {
    const std::lock_guard lock(lock_);
    if (leaving_ == FailureCause::none) leaving_ = cause;
    switch (place_.load()) {
      case Place::connecting:
        if (!calls_.withdraw(*this)) return;
        break;
      case Place::in_flight:
        if (!connection_->take_call(*this)) return;
        left = connection_;
        break;
      case Place::servant:
        calls_.servant_done(*this);
        later = std::move(later_);
        accepted = true;
        break;
      case Place::worked_on:
      case Place::starting:
      case Place::over:
        return;
    }
    place_ = Place::worked_on;
  }
  if (left) accepted = left->cancel_taken(*this);
  forget_time();
  fail_now(accepted ? InvocationStage::awaiting : InvocationStage::sending, cause, accepted);
  if (later) (void)later->cancellation.cancel().request_stop();
}

void AsyncCall::fail_now(InvocationStage stage, FailureCause cause,
                         bool request_accepted) noexcept {
  (void)fail(stage, cause);
  failure().request_accepted = request_accepted;
  failed_ = true;
  post(&AsyncCall::end);
}

void AsyncCall::post(Step next_step) noexcept {
  step_ = next_step;
  calls_.post(task_);
}

void AsyncCall::run_posted() noexcept {
  from_line_ = false;
  (this->*step_)();
}

FailureCause AsyncCall::leaving() noexcept {
  const std::lock_guard lock(lock_);
  return leaving_;
}

// Asks the interceptors how the call ends. A call that was cancelled is not forwarded. False: the
// call goes on with another target.
bool AsyncCall::end_interception() noexcept {
  using Next = CallInterception::Next;
  const Next next = CallSteps::end_interception(failed_);
  if (next == Next::fail) failed_ = true;
  if (next != Next::forward) return true;
  if (const FailureCause leaving = this->leaving(); leaving != FailureCause::none) {
    (void)interception->take_forward();
    (void)fail(InvocationStage::awaiting, leaving);
    failure().request_accepted = request_sent_;
    return failed_ = true;
  }
  try {
    failed_ = false;
    const State state = follow_interceptor();
    advance(state);
    return false;
  } catch (const std::exception& exception) {  // no memory
    log::write(log::Level::error, "orb", exception.what());
    (void)fail(InvocationStage::forwarding, FailureCause::no_memory);
    return failed_ = true;
  }
}

void AsyncCall::end() noexcept {
  if (interception && !end_interception()) return;
  engine::ConnectionRef left;  // ends without the lock, if this was its last reference
  {
    const std::lock_guard lock(lock_);
    place_ = Place::over;
    left = std::move(connection_);
  }
  tell_observer(failed_);
  answer_.reset();
  set_over();
  if (awaited_.load()) context_.calls.wake();
  remove_owner();
}

namespace {

constexpr std::uint32_t no_limit = 0xffffffff;  // of CallHandle::drive

}  // namespace

bool AsyncCall::await() {
  return drive([this] { return is_over(); }, no_limit);
}

bool AsyncCall::drive(function_ref<bool()> done, std::uint32_t timeout) {
  if (timeout != 0) wake_at_end();
  const std::chrono::milliseconds time(timeout);
  const Deadline until =
      timeout == no_limit ? Deadline::never() : Deadline::after(time, context_.clock.now());
  AsyncEngine& engine = context_.calls.engine();
  if (timeout == 0 && engine.others_serve(calls_)) return true;
  NestedWait waiting;
  if (!waiting.begin(context_)) return false;
  return timeout == 0 ? engine.turn_for(calls_) : engine.drive_for(calls_, done, until);
}

void AsyncRequest::wake_drivers() noexcept { context_.calls.wake(); }

// --- Time ---

void AsyncCall::limit_time(Deadline until) noexcept {
  const std::lock_guard lock(lock_);
  if (std::exchange(inherited_, until) == until || oneway() || place_ == Place::over) return;
  inherit_time_limit(until);
  if (place_ == Place::in_flight) connection_->limit_call(*this, deadline());
  watch_time();
}

// Expects lock_ to be held. The connection itself watches the time of a call that is in flight.
Deadline AsyncCall::limit_of_place() const noexcept {
  if (place_ == Place::connecting) return std::min(send_deadline(), connect_until_.load());
  return place_ == Place::servant ? deadline() : Deadline::never();
}

// Expects lock_ to be held.
void AsyncCall::watch_time() noexcept {
  const Deadline limit = limit_of_place();
  if (limit.is_never() || calls_.loop().timers().closed()) return;
  time_watched_ = true;
  if (calls_.loop().timers().arm(expiry_, limit)) add_owner();
}

void AsyncCall::forget_time() noexcept {
  {
    const std::lock_guard lock(lock_);
    if (!std::exchange(time_watched_, false)) return;
  }
  if (calls_.loop().timers().cancel(expiry_)) remove_owner();
}

// Runs on the thread that fires the timers of the loop.
void AsyncCall::time_over() noexcept {
  const TimePoint now = context_.clock.now();
  bool call_is_late = false;
  bool connect_is_late = false;
  {
    const std::lock_guard lock(lock_);
    time_watched_ = false;
    if (!limit_of_place().passed(now)) {
      watch_time();
    } else if (place_ == Place::servant || send_deadline().passed(now)) {
      call_is_late = true;
    } else if (calls_.withdraw(*this)) {
      place_ = Place::worked_on;
      connect_is_late = true;
    }
  }
  if (call_is_late) leave(FailureCause::deadline);
  if (connect_is_late) post(&AsyncCall::connect_timed_out);
  remove_owner();
}

}  // namespace perigee::orb
