// From step to step. What raises nothing here tells the observer instead.
#include "orb/async/async_invocation.h"

#include "orb/async/async_connection.h"
#include "orb/async/direction_call.h"
#include "orb/context/orb_context.h"
#include "orb/invocation/collocated_wait.h"
#include "orb/invocation/nested_wait.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <new>
#include <span>
#include <utility>

namespace perigee::orb {

using messaging::ReplyStatus;

AsyncInvocation& AsyncInvocation::make(counted_ptr<Reference> called,
                                       const stub::Operation& operation, stub::Arguments arguments,
                                       Shard& shard, stub::CallObserver& observer) {
  return *new AsyncInvocation(std::move(called), operation, std::move(arguments), shard, observer);
}

AsyncInvocation::AsyncInvocation(counted_ptr<Reference> called, const stub::Operation& asked,
                                 stub::Arguments given, Shard& shard, stub::CallObserver& observer)
    : AsyncRequest(std::move(called), asked, std::move(given), observer), shard_(shard) {}

AsyncInvocation::~AsyncInvocation() = default;

void AsyncInvocation::start() noexcept {
  try {
    begin_time_limits();
    begin();
  } catch (const std::exception& exception) {  // bad_alloc
    log::write(log::Level::error, "orb", exception.what());
    return fail_later(InvocationStage::resolving, FailureCause::no_memory);
  }
  advance(State::choose);
}

// What begins later than this may be done by another thread already.
void AsyncInvocation::advance(State state) noexcept {
  std::optional<CollocatedBuffers> buffers;  // until the observer has read the results
  try {
    while (state != State::connect && state != State::done && state != State::failed) {
      state = step(state, buffers, later_);
      if (later_) return await_servant();
    }
    if (state == State::connect) return need_connection();
  } catch (const std::exception& exception) {  // bad_alloc
    log::write(log::Level::error, "orb", exception.what());
    state = fail(InvocationStage::sending, FailureCause::no_memory);
    failure().request_accepted = request_sent_;
  }
  failed_ = state == State::failed;
  if (failed_ || answer_ || direction_) return finish_later();
  finished_ = true;
  end();
}

// The answer may come from any thread, or have come.
void AsyncInvocation::await_servant() {
  shard_.submit([this] {
    try {
      await_on_shard();
    } catch (const std::exception& exception) {  // bad_alloc
      log::write(log::Level::error, "orb", exception.what());
      leave(FailureCause::no_memory);
    }
  });
}

void AsyncInvocation::await_on_shard() {
  shard_.await_servant(*this);
  if (shard_.stopped()) return leave(FailureCause::shut_down);
  if (!time_watched_) watch_time(deadline());
  add_owner();
  const bool waits =
      later_->when_ended([this] { shard_.submit(*this, &AsyncInvocation::take_answer); });
  if (!waits) take_answer();
}

void AsyncInvocation::take_answer() noexcept {
  servant_answered();
  remove_owner();
}

// By who answers, who may have taken the place of who drives for that: observers are told later.
void AsyncInvocation::servant_answered() noexcept {
  if (finished_) return;
  answer_ = std::move(later_);
  shard_.servant_done(*this);
  forget_time();
  advance(take_collocated(answer_->status, answer_->body));
}

void AsyncInvocation::need_connection() {
  if (target_->endpoint->loses_messages()) limit_call_over_datagrams();
  if (expired()) return fail_later(InvocationStage::connecting, FailureCause::deadline);
  shard_.submit([this] {
    try {
      if (!time_watched_) watch_time(send_deadline());
      direction_.reset();
      if (may_use_both_directions() && begin_both_directions()) return;
      shard_.begin(*this);
    } catch (const std::exception& exception) {  // bad_alloc, or no thread that could connect
      log::write(log::Level::error, "orb", exception.what());
      refused(FailureCause::no_memory);
    }
  });
}

void AsyncInvocation::begin_connecting() {
  connecting_since_ = context_.clock.now();
  connect_until_ = connect_limit(connecting_since_);
  forget_time();
  watch_time(std::min(send_deadline(), connect_until_));
}

bool AsyncInvocation::encode(const messaging::Session& session, cdr::Buffer& buffer,
                             std::uint32_t request_id, bool announce) {
  const auto announced =
      announce ? target_->endpoint->announcement() : std::span<const iop::ServiceContext>();
  return write_request(session, buffer, request_id, announced, deadline());
}

// --- What has happened ---

void AsyncInvocation::encode_failed() noexcept {
  fail_later(InvocationStage::sending, FailureCause::encode);
}

// Again to the same target if the time that was too short was another call's.
void AsyncInvocation::connect_failed(const IoError& error, Deadline tried_until) noexcept {
  spend(context_.clock.now() - connecting_since_);
  if (expired()) return fail_later(InvocationStage::connecting, FailureCause::deadline);
  const bool cut_short = error.kind == IoErrorKind::timed_out && tried_until < connect_until_;
  advance(cut_short ? State::connect : after_failed_connect(copy_of(error)));
}

void AsyncInvocation::refused(FailureCause cause) noexcept {
  fail_later(InvocationStage::sending, cause);
}

void AsyncInvocation::request_failed(const TransactResult& result, InvocationError described,
                                     bool reused) noexcept {
  described.cdr = failure().cdr;
  failure() = std::move(described);
  advance(after_failed_request(result, reused, [this] { return expired(); }));
}

void AsyncInvocation::oneway_sent() noexcept { finish_later(); }

void AsyncInvocation::answered(ReplyStatus status, const cdr::Decoder& body) noexcept {
  forget_time();
  status_ = status;
  body_ = body;
  body_.set_code_sets(target_->endpoint->code_sets());
  request_sent_ = true;
  advance(State::classify);
}

void AsyncInvocation::time_over() noexcept {
  forget_time();
  const TimePoint now = context_.clock.now();
  if (direction_ && direction_->in_progress) {
    const bool opened = static_cast<bool>(direction_->connection);
    const Deadline limit = opened ? deadline() : std::min(send_deadline(), connect_until_);
    return limit.passed(now) ? leave(FailureCause::deadline) : watch_time(limit);
  }
  if ((has_departed() ? deadline() : send_deadline()).passed(now))
    return leave(FailureCause::deadline);
  if (awaits_connection() && connect_until_.passed(now))
    return connection->connect_timed_out(*this);
  watch_time(next_limit());
}

// --- Ending before a reply ---

void AsyncInvocation::cancel() noexcept {
  if (is_over()) return;
  add_owner();
  try {
    shard_.submit_behind([this] {  // it may be about to begin
      if (!finished_) leave(FailureCause::cancelled);
      remove_owner();
    });
  } catch (const std::exception& exception) {  // bad_alloc: it goes on
    log::write(log::Level::error, "orb", exception.what());
    remove_owner();
  }
}

void AsyncInvocation::leave(FailureCause cause) noexcept {
  if (finished_) return;
  if (const std::shared_ptr<CollocatedWait> later = std::move(later_)) {
    shard_.servant_done(*this);
    fail_later(InvocationStage::awaiting, cause);
    failure().request_accepted = true;
    return (void)later->cancellation.cancel().request_stop();
  }
  if (direction_ && direction_->in_progress) return abandon_direction(cause);
  if (connection == nullptr) return;
  const bool may_be_executed = connection->abandon(*this);
  fail_later(may_be_executed ? InvocationStage::awaiting : InvocationStage::sending, cause);
  failure().request_accepted = may_be_executed;
}

void AsyncInvocation::fail_later(InvocationStage stage, FailureCause cause) noexcept {
  (void)fail(stage, cause);
  failed_ = true;
  finish_later();
}

void AsyncInvocation::finish_later() noexcept {
  finished_ = true;
  shard_.submit(*this, &AsyncInvocation::tell_later);
}

void AsyncInvocation::end() noexcept {
  forget_time();
  tell_observer(failed_);
  answer_.reset();
  set_over();
  shard_.notify_waiters();
  remove_owner();
}

bool AsyncInvocation::await() {
  NestedWait waiting;
  return waiting.begin(context_) && shard_.drive_until([this] { return is_over(); });
}

// --- Time ---

void AsyncInvocation::limit_time(Deadline until) noexcept {
  if (std::exchange(inherited_, until) == until || oneway() || is_over()) return;
  add_owner();
  try {
    shard_.submit([this, until] {
      if (!finished_) change_time_limit(until);
      remove_owner();
    });
  } catch (const std::exception& exception) {  // bad_alloc: nothing would limit it
    log::write(log::Level::error, "orb", exception.what());
    cancel();
    remove_owner();
  }
}

void AsyncInvocation::change_time_limit(Deadline until) noexcept {
  forget_time();
  inherit_time_limit(until);
  watch_time(next_limit());
}

bool AsyncInvocation::awaits_connection() const noexcept {
  return connection != nullptr && !has_departed() && connection->is_connecting();
}

Deadline AsyncInvocation::next_limit() const noexcept {
  if (direction_ && direction_->connection) return deadline();
  if (has_departed()) return deadline();
  return awaits_connection() ? std::min(send_deadline(), connect_until_) : send_deadline();
}

void AsyncInvocation::watch_time(Deadline end) noexcept {
  if (end.is_never()) return;
  shard_.reactor().arm(expiry_, end);
  time_watched_ = true;
}

void AsyncInvocation::forget_time() noexcept {
  if (std::exchange(time_watched_, false)) shard_.reactor().cancel(expiry_);
}

}  // namespace perigee::orb
