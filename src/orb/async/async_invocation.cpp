// From step to step. What raises nothing here tells the observer instead.
#include "orb/async/async_invocation.h"

#include "orb/async/async_connection.h"
#include "orb/async/direction_call.h"
#include "orb/connection/call_buffers.h"
#include "orb/context/orb_context.h"
#include "orb/context/upcall_scope.h"
#include "orb/invocation/call_ends.h"
#include "orb/invocation/collocated_wait.h"
#include "orb/invocation/sent_contexts.h"
#include <perigee/base/log.h>
#include <perigee/iop/listen_points.h>
#include <perigee/orb/inherited_time_limit.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace perigee::orb {

using messaging::ReplyStatus;
using messaging::ResponseFlags;

OwnedRequest::OwnedRequest(counted_ptr<Reference> called, const stub::Operation& asked,
                           stub::Arguments given)
    : reference(std::move(called)), operation(asked), arguments(std::move(given)) {
  request.operation = operation.name;
  const bool oneway = operation.kind == stub::Operation::Kind::oneway;
  request.response = oneway ? ResponseFlags::none : ResponseFlags::with_target;
  if (!arguments->empty()) request.encode = stub::ArgumentEncoder(encode);
  if (has_policies(*reference)) apply_policies(*reference, request);
}

/// Of the thread, for as long as the call is worked on.
struct AsyncInvocation::CollocatedBuffers {
  CallBuffer request;
  CallBuffer reply;
};

AsyncInvocation& AsyncInvocation::make(counted_ptr<Reference> called,
                                       const stub::Operation& operation, stub::Arguments arguments,
                                       Shard& shard, stub::CallObserver& observer) {
  return *new AsyncInvocation(std::move(called), operation, std::move(arguments), shard, observer);
}

AsyncInvocation::AsyncInvocation(counted_ptr<Reference> called, const stub::Operation& asked,
                                 stub::Arguments given, Shard& shard, stub::CallObserver& observer)
    : OwnedRequest(std::move(called), asked, std::move(given)),
      CallSteps(*reference, request),
      shard_(shard),
      observer_(observer),
      timer_(context_.metrics, context_.metrics.call_latencies) {}

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
      state = step(state, buffers);
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

AsyncInvocation::State AsyncInvocation::step(State state,
                                             std::optional<CollocatedBuffers>& buffers) {
  switch (state) {
    case State::choose:
      return choose();
    case State::collocated:
      if (!buffers) buffers.emplace();
      return begin_collocated(*buffers->request, *buffers->reply, later_, deadline_);
    case State::classify:
      return classify();
    default:
      return State::failed;
  }
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
  if (!time_watched_) watch_time(deadline_);
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

// A lost datagram is never sent again, so a call without a time limit might wait for ever.
void AsyncInvocation::limit_call_over_datagrams() noexcept {
  if (oneway() || !own_deadline_.is_never()) return;
  own_deadline_ = Deadline::after(context_.settings.datagram_call_timeout, context_.clock.now());
  inherit_time_limit(inherited_);
}

void AsyncInvocation::need_connection() {
  if (target_->endpoint->loses_messages()) limit_call_over_datagrams();
  if (expired()) return fail_later(InvocationStage::connecting, FailureCause::deadline);
  shard_.submit([this] {
    try {
      if (!time_watched_) watch_time(send_deadline_);
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
  const auto longest = orb::connect_timeout(checkout_limits(Deadline::never()), connecting_since_);
  connect_until_ =
      longest.count() == 0 ? Deadline::never() : Deadline::after(longest, connecting_since_);
  forget_time();
  watch_time(std::min(send_deadline_, connect_until_));
}

bool AsyncInvocation::encode(const messaging::Session& session, cdr::Buffer& buffer,
                             std::uint32_t request_id, bool announce) {
  buffer.clear();
  cdr::Encoder encoder(buffer, std::endian::native, cdr::Encoder::Borrowing::yes);
  messaging::RequestHeader request_header = header(request_id);
  if (announce) request_header.contexts = target_->endpoint->announcement();
  Octets points;
  SentContexts with_points;
  if (announce && direction_ && direction_->connection->role() == messaging::Role::opener) {
    points = iop::encode_listen_points(context_.server->listen_points());
    request_header.contexts =
        with_points.with(request_header.contexts, {iop::context_bi_dir_iiop, points});
  }
  SentContexts contexts;
  if (!deadline_.is_never() && !oneway())
    request_header.contexts = contexts.with_time(request_header.contexts, time_left());
  session.begin_request(encoder, target_->version, request_header,
                        request.encode ? messaging::Body::present : messaging::Body::empty);
  encoder.set_code_sets(target_->endpoint->code_sets());
  if (request.encode) request.encode(encoder);
  if (encoder.ok()) session.finish(encoder);  // may fail: the message is too large
  if (encoder.ok()) return true;
  failure().cdr = encoder.error();
  return false;
}

// --- What has happened ---

void AsyncInvocation::encode_failed() noexcept {
  fail_later(InvocationStage::sending, FailureCause::encode);
}

namespace {

IoError copy_of(const IoError& error) noexcept try {
  return error;
} catch (const std::bad_alloc&) {  // without its text
  return {error.kind, error.operation, error.code, {}};
}

}  // namespace

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
    if ((opened ? deadline_ : std::min(send_deadline_, connect_until_)).passed(now))
      return leave(FailureCause::deadline);
    return watch_time(opened ? deadline_ : std::min(send_deadline_, connect_until_));
  }
  if ((has_departed() ? deadline_ : send_deadline_).passed(now))
    return leave(FailureCause::deadline);
  if (awaits_connection() && connect_until_.passed(now))
    return connection->connect_timed_out(*this);
  watch_time(next_limit());
}

// --- Ending before a reply ---

void AsyncInvocation::cancel() noexcept {
  if (ended()) return;
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
  const InvocationError* const error = failed_ ? &failure() : nullptr;
  timer_.record(request.operation);
  context_.metrics.calls.add(outcome_of(error, request.response, status_));
  AsyncOutcome outcome{operation, status_, body_, error};
  stub::CallOutcome shown(outcome);
  {
    const UpcallScope none(UpcallScope::None::upcall);  // that of who has answered, perhaps
    observer_.ended(shown);
  }
  arguments.reset();
  answer_.reset();
  ended_.store(true);
  shard_.notify_waiters();
  remove_owner();
}

// --- Time ---

void AsyncInvocation::begin_time_limits() noexcept {
  if (!oneway()) inherited_ = stub::InheritedTimeLimit::current();
  const bool inherits = !inherited_.is_never();
  if (request.time_limit.count() == 0 && request.send_limit.count() == 0 && !inherits) return;
  const TimePoint now = context_.clock.now();
  if (request.time_limit.count() != 0) own_deadline_ = Deadline::after(request.time_limit, now);
  if (request.send_limit.count() != 0)
    own_send_deadline_ = Deadline::after(request.send_limit, now);
  inherit_time_limit(inherited_);
}

// What is left of it by its own clock, by the ORB's.
void AsyncInvocation::inherit_time_limit(Deadline until) noexcept {
  deadline_ = own_deadline_;
  if (!until.is_never()) {
    const Duration left = until.left(steady_clock().now());
    deadline_ = std::min(deadline_, Deadline::after(left, context_.clock.now()));
  }
  send_deadline_ = std::min(own_send_deadline_, deadline_);
}

std::chrono::microseconds AsyncInvocation::time_left() const noexcept {
  return std::chrono::ceil<std::chrono::microseconds>(deadline_.left(context_.clock.now()));
}

void AsyncInvocation::limit_time(Deadline until) noexcept {
  if (std::exchange(inherited_, until) == until || oneway() || ended()) return;
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

bool AsyncInvocation::expired() const noexcept {
  return !send_deadline_.is_never() && send_deadline_.passed(context_.clock.now());
}

bool AsyncInvocation::awaits_connection() const noexcept {
  return connection != nullptr && !has_departed() && connection->is_connecting();
}

Deadline AsyncInvocation::next_limit() const noexcept {
  if (direction_ && direction_->connection) return deadline_;
  if (has_departed()) return deadline_;
  return awaits_connection() ? std::min(send_deadline_, connect_until_) : send_deadline_;
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
