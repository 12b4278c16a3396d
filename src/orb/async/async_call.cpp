// The steps of an asynchronous call, from the choice of a connection to the reply.
#include "orb/async/async_call.h"

#include "orb/connection/message_limits.h"
#include "orb/context/orb_context.h"
#include "orb/context/server.h"
#include "orb/invocation/collocated_wait.h"
#include "orb/invocation/direction_errors.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <new>
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
      if (state == State::collocated && from_line_) return post(&AsyncCall::call_collocated);
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

// Posted by a thread that hands a new connection to the calls that waited for it. This thread runs
// no servants: a servant may block, and may itself wait for a connection.
void AsyncCall::call_collocated() noexcept { advance(State::collocated); }

// --- A connection ---

void AsyncCall::need_connection() {
  if (target_->endpoint->loses_messages()) {
    const std::lock_guard lock(lock_);
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
    case Found::callbacks_lost:
      fail_now(InvocationStage::connecting, FailureCause::callbacks_lost, false);
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

// `choose` may put the call into a line (LoopCalls::Line). Another thread may then have taken the
// call out of the line before `choose` returns.
void AsyncCall::choose_connection() noexcept {
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

// The call has no connection yet. So this function encodes the request as for a stream transport,
// and returns the size.
std::size_t AsyncCall::request_size() {
  CallBuffer buffer;
  const auto session = target_->endpoint->messaging().open(messaging::Role::opener, {});
  const auto announced = target_->endpoint->announcement();
  return write_request(*session, *buffer, 0, announced, deadline()) ? buffer->size() : 0;
}

// Called by the thread that puts the call into a line. This thread holds the lock of the lines. If
// another thread cancels the call before it is in the line, `await_connection` ends the call.
void AsyncCall::begin_connecting() noexcept {
  connecting_since_ = context_.clock.now();
  connect_until_.store(connect_limit(connecting_since_));
  place_.store(Place::connecting);
}

// A thread may have cancelled the call just before it was in the line.
void AsyncCall::await_connection() noexcept {
  FailureCause leaving = FailureCause::none;
  {
    const std::lock_guard lock(lock_);
    leaving = leaving_;
    if (place_ == Place::connecting) watch_time();
  }
  if (leaving != FailureCause::none) leave(leaving);
  remove_owner();
}

void AsyncCall::connected(const ConnectionRef& connection) noexcept {
  take();
  from_line_ = true;
  forget_time();
  spend(context_.clock.now() - connecting_since_);
  start_over(connection);
}

// If the connect used the shorter limit of another call, this call connects again.
void AsyncCall::connect_failed(const IoError& error, Deadline tried_until) noexcept {
  take();
  from_line_ = true;
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

// As soon as the request is sent, another thread may end the call, or start it again on another
// connection.
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
  ConnectionRef before;  // ends without the lock, if this was its last reference
  {
    const std::lock_guard lock(lock_);
    leaving = leaving_;
    place_ = Place::starting;
    before = std::exchange(connection_, connection);
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
  may_wait_for_turn = !oneway();  // a oneway's observer is told when the oneway was sent
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
    start_refused(status, *connection);
  }
  remove_owner();
}

// If other calls have filled the connection meanwhile, the call chooses a connection again.
void AsyncCall::start_refused(StartStatus status, const engine::Connection& connection) noexcept {
  result_ = {.start = status};
  if (status == StartStatus::sent) return post(&AsyncCall::end);
  const bool has_others = &connection.home() == &calls_.home();
  const bool is_full = connection.calls() >= context_.settings.requests_in_flight_max;
  if (status == StartStatus::too_many && is_full && has_others) return advance(State::connect);
  fail_request();
}

// Applies a cancellation or time limit that came while the call was being started.
void AsyncCall::after_start(std::uint32_t turn, Deadline end) noexcept {
  FailureCause leaving = FailureCause::none;
  {
    const std::lock_guard lock(lock_);
    Place expected = Place::starting;
    if (turn_ != turn || !place_.compare_exchange_strong(expected, Place::in_flight)) return;
    leaving = leaving_;
    if (deadline() != end) connection_->limit_call(*this, deadline());
  }
  if (leaving != FailureCause::none) leave(leaving);
}

// The observer may decode the reply on the thread that received it. A posted task handles failures,
// since this thread may be ending the connection.
void AsyncCall::ended(engine::CallEnd& end) noexcept {
  take();
  from_line_ = false;
  if (end.reply != nullptr) {
    if (may_tell_here()) return answered(*end.reply);
    return keep_reply(*end.message);
  }
  result_ = {.failure = end.failure != CallFailure::none ? end.failure : CallFailure::bad_message,
             .request_accepted = end.request_accepted,
             .error_code = end.error_code};
  framing_ = end.framing;
  post(&AsyncCall::fail_request);
}

// A connection for both directions may belong to another loop than the call.
bool AsyncCall::may_tell_here() const noexcept {
  engine::Loop& loop = calls_.loop();
  return !loop.single_threaded() || loop.on_thread();
}

void AsyncCall::keep_reply(messaging::IncomingMessage& message) {
  try {
    message.keep();
    result_ = {};
    result_.message = std::move(message);
    return post(&AsyncCall::take_kept_reply);
  } catch (const std::exception& exception) {  // no memory for the reply
    log::write(log::Level::error, "orb", exception.what());
  }
  result_ = {.failure = CallFailure::transfer, .request_accepted = true};
  post(&AsyncCall::fail_request);
}

void AsyncCall::take_kept_reply() noexcept {
  messaging::ContextStorage contexts;
  const auto reply = connection_->session().parse_reply(result_.message, contexts);
  if (reply) return answered(*reply);
  fail_now(InvocationStage::awaiting, FailureCause::bad_message, true);
}

void AsyncCall::answered(const messaging::Parsed<messaging::ReplyHeader>& reply) noexcept {
  status_ = reply.header.status;
  body_ = reply.body;
  body_.set_code_sets(target_->endpoint->code_sets());
  request_sent_ = true;
  if (interception) interception->keep_reply_contexts(reply.header.contexts);
  if (status_ == ReplyStatus::system_exception) take_server_text(reply.header.contexts);
  advance(State::classify);
}

// The text is only for readers of the exception, so the call goes on if there is no memory for it.
void AsyncCall::take_server_text(std::span<const iop::ServiceContext> contexts) noexcept try {
  failure().server_text = server_text(contexts);
} catch (const std::bad_alloc&) {
  failure().server_text.clear();
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
  advance(after_failed_request(*connection_, result, reused, [this] { return expired(); }));
}

InvocationError AsyncCall::describe() noexcept {
  InvocationError described;
  try {
    described.endpoint = connection_->transport().peer();
    described.io.endpoint = described.endpoint;
    if (result_.failure == CallFailure::bad_message)
      described.limit_text = to_string(connection_->exceeded_limit());
  } catch (const std::exception& exception) {  // no memory for the name
    log::write(log::Level::warning, "orb", exception.what());
  }
  described.cdr = failure().cdr;
  described.framing = framing_;
  described.io.code = result_.error_code;
  described.io.kind = described.io.code != 0 ? IoErrorKind::system : IoErrorKind::end_of_stream;
  return described;
}

}  // namespace perigee::orb
