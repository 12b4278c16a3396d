// How a call moves between its places, and how it ends.
#include "orb/async/async_call.h"

#include "orb/context/call_driver.h"
#include "orb/context/orb_context.h"
#include "orb/context/server.h"
#include "orb/invocation/collocated_wait.h"
#include "orb/invocation/direction_errors.h"
#include "orb/invocation/nested_wait.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

namespace perigee::orb {

using engine::CallFailure;
using engine::ConnectionRef;
using engine::StartStatus;
using messaging::ReplyStatus;

AsyncCall& AsyncCall::make(counted_ptr<Reference> called, const stub::Operation& operation,
                           stub::Arguments arguments, LoopCalls& calls,
                           stub::CallObserver& observer) {
  return *new AsyncCall(std::move(called), operation, std::move(arguments), calls, observer);
}

AsyncCall::AsyncCall(counted_ptr<Reference> called, const stub::Operation& asked,
                     stub::Arguments given, LoopCalls& calls, stub::CallObserver& observer)
    : AsyncRequest(std::move(called), asked, std::move(given), observer), calls_(calls) {}

AsyncCall::~AsyncCall() = default;

void AsyncCall::start() noexcept {
  try {
    begin_time_limits();
    begin();
  } catch (const std::exception& exception) {  // no memory
    log::write(log::Level::error, "orb", exception.what());
    return fail_now(InvocationStage::resolving, FailureCause::no_memory, false);
  }
  advance(State::choose);
}

void AsyncCall::advance(State state) noexcept {
  std::optional<CollocatedBuffers> buffers;  // until the observer has read the results
  std::shared_ptr<CollocatedWait> later;
  try {
    while (state != State::connect && state != State::done && state != State::failed) {
      state = step(state, buffers, later);
      if (later) return await_servant(later);
    }
    if (state == State::connect) return need_connection();
  } catch (const std::exception& exception) {  // no memory
    log::write(log::Level::error, "orb", exception.what());
    return fail_now(InvocationStage::sending, FailureCause::no_memory, request_sent_);
  }
  failed_ = state == State::failed;
  return failed_ ? post(&AsyncCall::end) : end();
}

// --- A connection ---

void AsyncCall::need_connection() {
  if (target_->endpoint->loses_messages()) {
    const std::lock_guard lock(mutex_);
    limit_call_over_datagrams();
  }
  if (expired()) return fail_now(InvocationStage::connecting, FailureCause::deadline, false);
  waits_for_both_ = false;
  if (may_use_both_directions() && use_both_directions()) return;
  choose_connection();
}

bool AsyncCall::use_both_directions() {
  using Found = Bidirectional::Found;
  auto choice = context_.bidirectional.choose_present(*target_->endpoint, request.bidirectional,
                                                      context_.server.get());
  switch (choice.found) {
    case Found::connection:
      start_over(std::move(choice.connection));
      return true;
    case Found::peer_gone:
      fail_now(InvocationStage::connecting, FailureCause::peer_gone, false);
      return true;
    case Found::to_be_opened:
      waits_for_both_ = true;
      return false;
    case Found::usual:
    case Found::error:
      break;
  }
  return false;
}

// When `choose` has put the call into a line, another thread may have taken it out already.
void AsyncCall::choose_connection() noexcept {
  if (!go_to(Place::connecting)) return;
  LoopCalls::Choice choice;
  try {
    choice = calls_.choose(*this);
  } catch (const std::exception& exception) {  // no memory
    log::write(log::Level::error, "orb", exception.what());
    return refused(FailureCause::no_memory);
  }
  if (choice.connection) return start_over(std::move(choice.connection));
  if (choice.refused != FailureCause::none) return refused(choice.refused);
  await_connection();
}

void AsyncCall::begin_connecting() noexcept {
  connecting_since_ = context_.clock.now();
  connect_until_.store(connect_limit(connecting_since_));
}

// A thread may have cancelled the call just before it was in the line.
void AsyncCall::await_connection() noexcept {
  FailureCause leaving = FailureCause::none;
  {
    const std::lock_guard lock(mutex_);
    leaving = leaving_;
    if (place_ == Place::connecting) watch_time();
  }
  if (leaving != FailureCause::none) leave(leaving);
  remove_owner();
}

void AsyncCall::connected(const ConnectionRef& connection) noexcept {
  take();
  forget_time();
  spend(context_.clock.now() - connecting_since_);
  start_over(connection);
}

// If the connect used the shorter limit of another call, this call connects again.
void AsyncCall::connect_failed(const IoError& error, Deadline tried_until) noexcept {
  take();
  forget_time();
  spend(context_.clock.now() - connecting_since_);
  if (expired()) return fail_now(InvocationStage::connecting, FailureCause::deadline, false);
  const bool cut_short = error.kind == IoErrorKind::timed_out && tried_until < connect_until();
  advance(cut_short ? State::connect : after_failed_connect(copy_of(error)));
}

void AsyncCall::connect_timed_out() noexcept {
  try {
    connect_failed(calls_.timed_out(*this), Deadline::never());
  } catch (const std::exception& exception) {  // no memory for the text
    log::write(log::Level::error, "orb", exception.what());
    refused(FailureCause::no_memory);
  }
}

void AsyncCall::refused(FailureCause cause) noexcept {
  take();
  forget_time();
  fail_now(InvocationStage::sending, cause, false);
}

// --- The request ---

// As soon as it is sent, another thread may end the call, and start it again elsewhere.
void AsyncCall::start_over(ConnectionRef connection) noexcept {
  std::optional<CallBuffer> buffer;
  try {
    buffer.emplace();
  } catch (const std::exception& exception) {  // no memory
    log::write(log::Level::error, "orb", exception.what());
    return refused(FailureCause::no_memory);
  }
  start_with(std::move(connection), **buffer);
}

void AsyncCall::start_with(ConnectionRef connection, cdr::Buffer& buffer) noexcept {
  std::uint32_t turn = 0;
  Deadline end;
  FailureCause leaving = FailureCause::none;
  {
    const std::lock_guard lock(mutex_);
    leaving = leaving_;
    place_ = Place::starting;
    connection_ = connection;
    turn = ++turn_;
    end = deadline();
  }
  if (leaving != FailureCause::none) {
    take();
    return fail_now(InvocationStage::sending, leaving, false);
  }
  version = target_->version;
  expects_reply = !oneway();
  may_block = true;
  mostly_short = true;
  may_wait_for_turn = !oneway();  // a oneway is told when it was sent
  request_sent_ = true;
  const auto encode_it = [&](const messaging::Session&,
                             std::uint32_t request_id) -> const cdr::Buffer* {
    return write_request_over(*connection, buffer, request_id, end) ? &buffer : nullptr;
  };
  add_owner();
  const StartStatus status = connection->start_call(*this, encode_it, end);
  if (status == StartStatus::started) {
    after_start(turn, end);
  } else {
    take();
    result_ = {.start = status};
    status == StartStatus::sent ? post(&AsyncCall::end) : fail_request();
  }
  remove_owner();
}

// Applies a cancellation or time limit that came while the call was being started.
void AsyncCall::after_start(std::uint32_t turn, Deadline end) noexcept {
  FailureCause leaving = FailureCause::none;
  {
    const std::lock_guard lock(mutex_);
    if (turn_ != turn || place_ != Place::starting) return;
    place_ = Place::in_flight;
    leaving = leaving_;
    if (deadline() != end) connection_->limit_call(*this, deadline());
  }
  if (leaving != FailureCause::none) leave(leaving);
}

// The observer may decode the reply where it was received. Failures are handled on the loop, since
// this thread may be ending the connection.
void AsyncCall::ended(engine::CallEnd& end) noexcept {
  take();
  if (end.reply != nullptr) return answered(end.reply->header.status, end.reply->body);
  result_ = {.failure = end.failure != CallFailure::none ? end.failure : CallFailure::bad_message,
             .request_accepted = end.request_accepted,
             .error_code = end.error_code};
  framing_ = end.framing;
  post(&AsyncCall::fail_request);
}

void AsyncCall::answered(ReplyStatus status, const cdr::Decoder& body) noexcept {
  status_ = status;
  body_ = body;
  body_.set_code_sets(target_->endpoint->code_sets());
  request_sent_ = true;
  advance(State::classify);
}

void AsyncCall::fail_request() noexcept {
  const TransactResult result = transact_result_of(result_);
  if (!is_of_connection(result.cause)) {
    request_sent_ = result.request_accepted;
    return fail_now(result.stage, result.cause, result.request_accepted);
  }
  InvocationError described = describe();
  described.io.operation = result.request_accepted ? IoOperation::receive : IoOperation::send;
  const bool ended_before = result_.start == StartStatus::closed;
  const bool reused = ended_before || connection_->agreement().answered.load();
  failure() = std::move(described);
  advance(after_failed_request(result, reused, [this] { return expired(); }));
}

InvocationError AsyncCall::describe() noexcept {
  InvocationError described;
  try {
    described.endpoint = connection_->transport().peer();
    described.io.endpoint = described.endpoint;
  } catch (const std::exception& exception) {  // no memory for the name
    log::write(log::Level::warning, "orb", exception.what());
  }
  described.cdr = failure().cdr;
  described.framing = framing_;
  described.io.code = result_.error_code;
  described.io.kind = described.io.code != 0 ? IoErrorKind::system : IoErrorKind::end_of_stream;
  return described;
}

// --- A collocated servant that answers later ---

void AsyncCall::await_servant(const std::shared_ptr<CollocatedWait>& later) noexcept {
  FailureCause leaving = FailureCause::none;
  add_owner();  // until the servant has answered: another thread may end the call at once
  {
    const std::lock_guard lock(mutex_);
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

// By the thread that answers.
void AsyncCall::servant_answered() noexcept {
  bool taken = false;
  {
    const std::lock_guard lock(mutex_);
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

void AsyncCall::take_answer() noexcept { advance(take_collocated(answer_->status, answer_->body)); }

// --- Places ---

bool AsyncCall::go_to(Place place) noexcept {
  FailureCause leaving = FailureCause::none;
  {
    const std::lock_guard lock(mutex_);
    leaving = leaving_;
    if (leaving == FailureCause::none) place_ = place;
  }
  if (leaving != FailureCause::none) fail_now(InvocationStage::sending, leaving, false);
  return leaving == FailureCause::none;
}

void AsyncCall::take() noexcept {
  const std::lock_guard lock(mutex_);
  place_ = Place::worked_on;
}

// The thread that works on the call looks at `leaving_` before the call goes to its next place.
void AsyncCall::leave(FailureCause cause) noexcept {
  bool accepted = false;
  std::shared_ptr<CollocatedWait> later;
  {
    const std::lock_guard lock(mutex_);
    if (leaving_ == FailureCause::none) leaving_ = cause;
    switch (place_) {
      case Place::connecting:
        if (!calls_.withdraw(*this)) return;
        break;
      case Place::in_flight:
        if (!connection_->withdraw_call(*this, accepted)) return;
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
  (void)calls_.loop().reactor().post(task_);
}

void AsyncCall::run_posted() noexcept {
  calls_.need_ticks();
  (this->*step_)();
}

void AsyncCall::end() noexcept {
  {
    const std::lock_guard lock(mutex_);
    place_ = Place::over;
    connection_ = {};
  }
  tell_observer(failed_);
  answer_.reset();
  set_over();
  if (awaited_.load()) context_.calls.wake();
  remove_owner();
}

bool AsyncCall::await() {
  awaited_.store(true);
  NestedWait waiting;
  return waiting.begin(context_) &&
         context_.calls.drive_until([this] { return is_over(); }, Deadline::never());
}

// --- Time ---

void AsyncCall::limit_time(Deadline until) noexcept {
  const std::lock_guard lock(mutex_);
  if (std::exchange(inherited_, until) == until || oneway() || place_ == Place::over) return;
  inherit_time_limit(until);
  if (place_ == Place::in_flight) connection_->limit_call(*this, deadline());
  watch_time();
}

// Expects mutex_ to be held. The connection itself watches the time of a call that is in flight.
Deadline AsyncCall::limit_of_place() const noexcept {
  if (place_ == Place::connecting) return std::min(send_deadline(), connect_until_.load());
  return place_ == Place::servant ? deadline() : Deadline::never();
}

// Expects mutex_ to be held.
void AsyncCall::watch_time() noexcept {
  const Deadline limit = limit_of_place();
  if (limit.is_never()) return;
  time_watched_ = true;
  if (calls_.loop().timers().arm(expiry_, limit)) add_owner();
}

void AsyncCall::forget_time() noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(time_watched_, false)) return;
  }
  if (calls_.loop().timers().cancel(expiry_)) remove_owner();
}

// On the thread of the timers.
void AsyncCall::time_over() noexcept {
  const TimePoint now = context_.clock.now();
  bool call_is_late = false;
  bool connect_is_late = false;
  {
    const std::lock_guard lock(mutex_);
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
