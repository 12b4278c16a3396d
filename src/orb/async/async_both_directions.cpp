// Asynchronous calls over connections for both directions. All of it runs on the thread that drives
// the shard, but for the end of a call, which the connection's own threads find.
#include "engine/client/connects.h"
#include "orb/async/async_invocation.h"
#include "orb/async/direction_call.h"
#include "orb/context/orb_context.h"
#include "orb/context/server.h"
#include "orb/invocation/direction_errors.h"
#include <perigee/base/log.h>

#include <exception>
#include <utility>

namespace perigee::orb {

using engine::CallFailure;
using engine::StartStatus;

void DirectionCall::ended(engine::CallEnd& end) noexcept {
  result.failure = end.failure;
  result.request_accepted = end.request_accepted;
  result.error_code = end.error_code;
  try {
    if (end.message != nullptr) {
      end.message->keep();
      result.message = std::move(*end.message);
    }
  } catch (const std::exception& exception) {  // no memory for the reply
    log::write(log::Level::error, "orb", exception.what());
    result.failure = CallFailure::transfer;
  }
  if (phase_.exchange(Phase::ended) == Phase::started) owner_.direction_ended_later();
}

void AsyncInvocation::direction_ended_later() noexcept {
  shard_.submit(*this, &AsyncInvocation::direction_ended);
}

// False: the call uses connections for one direction.
bool AsyncInvocation::begin_both_directions() {
  using Found = Bidirectional::Found;
  auto choice = context_.bidirectional.choose_present(*target_->endpoint, request.bidirectional,
                                                      context_.server.get());
  switch (choice.found) {
    case Found::usual:
    case Found::error:
      return false;
    case Found::connection:
      direction_ = std::make_unique<DirectionCall>(*this);
      direction_->connection = std::move(choice.connection);
      start_direction();
      return true;
    case Found::peer_gone:
      fail_later(InvocationStage::connecting, FailureCause::peer_gone);
      return true;
    case Found::to_be_opened:
      direction_ = std::make_unique<DirectionCall>(*this);
      open_direction();
      return true;
  }
  return false;
}

/// Keeps a call that a connect in progress is for. The connect may be given up without a word.
class AsyncInvocation::Kept {
 public:
  explicit Kept(AsyncInvocation& call) noexcept : call_(&call) { call.add_owner(); }
  Kept(Kept&& other) noexcept : call_(std::exchange(other.call_, nullptr)) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    if (call_ != nullptr) call_->remove_owner();
  }
  AsyncInvocation* operator->() const noexcept { return call_; }
  AsyncInvocation& operator*() const noexcept { return *call_; }

 private:
  AsyncInvocation* call_;
};

// The list of calls that wait for others has it, so that the end of the ORB ends it.
void AsyncInvocation::open_direction() {
  const ClientEndpoint& endpoint = *target_->endpoint;
  begin_connecting();
  shard_.connecting().connect({endpoint.connector(), endpoint.endpoint(),
                               std::min(send_deadline(), connect_until_),
                               [kept = Kept(*this)](engine::Connects::Made made) noexcept {
                                 kept->direction_->opened = std::move(made);
                                 kept->add_owner();
                                 kept->shard_.submit(*kept, &AsyncInvocation::direction_opened);
                               }});
  direction_->in_progress = true;
  shard_.await_servant(*this);
}

void AsyncInvocation::direction_opened() noexcept {
  const bool given_up = finished_;
  if (!given_up) {
    leave_direction();
    forget_time();
    spend(context_.clock.now() - connecting_since_);
    try {
      use_opened_direction();
    } catch (const std::exception& exception) {  // bad_alloc
      log::write(log::Level::error, "orb", exception.what());
      fail_later(InvocationStage::sending, FailureCause::no_memory);
    }
  }
  remove_owner();
}

void AsyncInvocation::use_opened_direction() {
  if (!direction_->opened) {
    if (expired()) return fail_later(InvocationStage::connecting, FailureCause::deadline);
    return advance(after_failed_connect(std::move(direction_->opened.error())));
  }
  direction_->connection = context_.bidirectional.adopt(*target_->endpoint, *context_.server,
                                                        std::move(*direction_->opened));
  if (!direction_->connection)
    return fail_later(InvocationStage::connecting, FailureCause::shut_down);
  watch_time(oneway() ? send_deadline() : deadline());
  start_direction();
}

void AsyncInvocation::start_direction() {
  DirectionCall& call = *direction_;
  call.version = target_->version;
  call.expects_reply = !oneway();
  call.may_block = false;
  call.begin();
  const auto encode_it = [this](const messaging::Session&,
                                std::uint32_t request_id) -> const cdr::Buffer* {
    cdr::Buffer& buffer = shard_.request_buffer();
    const engine::Connection& over = *direction_->connection;
    return write_request_over(over, buffer, request_id, deadline()) ? &buffer : nullptr;
  };
  request_sent_ = true;
  call.result.start = call.connection->start_call(call, encode_it);
  if (call.result.start == StartStatus::sent) return oneway_sent();
  if (call.result.start != StartStatus::started) return fail_direction();
  call.in_progress = true;
  shard_.await_servant(*this);
  add_owner();
  if (!call.started()) direction_ended();
}

void AsyncInvocation::leave_direction() noexcept {
  if (std::exchange(direction_->in_progress, false)) shard_.servant_done(*this);
}

void AsyncInvocation::direction_ended() noexcept {
  if (!finished_) {
    leave_direction();
    forget_time();
    take_direction_end();
  }
  remove_owner();
}

void AsyncInvocation::take_direction_end() noexcept {
  DirectionCall& call = *direction_;
  if (call.result.failure != CallFailure::none) return fail_direction();
  const auto reply = call.connection->session().parse_reply(call.result.message, call.contexts);
  if (!reply) return fail_later(InvocationStage::awaiting, FailureCause::bad_message);
  answered(reply->header.status, reply->body);
}

void AsyncInvocation::fail_direction() noexcept {
  const TransactResult result = transact_result_of(direction_->result);
  if (!is_of_connection(result.cause)) {
    fail_later(result.stage, result.cause);
    failure().request_accepted = request_sent_ = result.request_accepted;
    return;
  }
  InvocationError described;
  try {
    described.endpoint = direction_->connection->transport().peer();
    described.io.endpoint = described.endpoint;
  } catch (const std::exception& exception) {  // no memory for the name
    log::write(log::Level::warning, "orb", exception.what());
  }
  described.io.code = direction_->result.error_code;
  described.io.kind = described.io.code != 0 ? IoErrorKind::system : IoErrorKind::end_of_stream;
  described.io.operation = result.request_accepted ? IoOperation::receive : IoOperation::send;
  request_failed(result, std::move(described), true);
}

// The call is cancelled, or its time is over, or the ORB ends. If the connection has ended the call
// at this moment, `direction_ended` finds that it is finished.
void AsyncInvocation::abandon_direction(FailureCause cause) noexcept {
  bool accepted = false;
  const bool was_started = static_cast<bool>(direction_->connection);
  leave_direction();
  if (was_started && direction_->connection->withdraw_call(*direction_, accepted)) remove_owner();
  fail_later(was_started ? InvocationStage::awaiting : InvocationStage::connecting, cause);
  failure().request_accepted = accepted;
}

}  // namespace perigee::orb
