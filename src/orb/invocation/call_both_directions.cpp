// A blocking call over a connection that carries requests in both directions. A loop reads the
// connection. The calling thread only waits, while callbacks from the peer are served.
#include "orb/connection/message_limits.h"
#include "orb/context/orb_context.h"
#include "orb/context/server.h"
#include "orb/invocation/direction_errors.h"
#include "orb/invocation/invocation.h"

#include <algorithm>
#include <utility>

namespace perigee::orb {

using engine::CallFailure;
using engine::StartStatus;
using messaging::ResponseFlags;

// Returns `connect` if the call uses connections for one direction.
Invocation::State Invocation::choose_both_directions() {
  using Found = Bidirectional::Found;
  auto choice =
      context_.bidirectional.choose(*target_->endpoint, request_.bidirectional,
                                    context_.server.get(), checkout_limits(slot_.send_deadline));
  both_directions_ = std::move(choice.connection);
  switch (choice.found) {
    case Found::usual:
    case Found::to_be_opened:
      break;
    case Found::connection:
      return State::transmit;
    case Found::peer_gone:
      return fail(InvocationStage::connecting, FailureCause::peer_gone);
    case Found::callbacks_lost:
      return fail(InvocationStage::connecting, FailureCause::callbacks_lost);
    case Found::error:
      if (expired()) return fail(InvocationStage::connecting, FailureCause::deadline);
      return after_failed_connect(std::move(choice.error));
  }
  return State::connect;
}

// A peer that has never replied may never reply, so the wait for its first reply is limited.
Deadline Invocation::reply_deadline() const noexcept {
  const auto limit = context_.settings.first_reply_timeout;
  if (limit <= limit.zero() ||
      both_directions_->agreement().answered.load(std::memory_order_relaxed))
    return slot_.deadline;
  return std::min(slot_.deadline, Deadline::after(limit, context_.clock.now()));
}

Invocation::State Invocation::transmit_both_directions() {
  const auto encode = [this](const messaging::Session&, std::uint32_t id) -> const cdr::Buffer* {
    const bool encoded =
        write_request_over(*both_directions_, *request_buffer_, id, slot_.deadline);
    return encoded ? &*request_buffer_ : nullptr;
  };
  if (request_.response == ResponseFlags::none) return send_oneway_both_directions(encode);
  request_sent_ = true;
  engine::CallResult result = both_directions_->call(target_->version, encode, reply_deadline());
  if (result.start != StartStatus::started || result.failure != CallFailure::none)
    return fail_both_directions(result);
  return take_reply_both_directions(result);
}

namespace {

class OnewayCall final : public engine::StartedCall {
 public:
  OnewayCall() noexcept { expects_reply = false; }
  void ended(engine::CallEnd& /*end*/) noexcept override {}
};

}  // namespace

Invocation::State Invocation::send_oneway_both_directions(engine::EncodeRequest encode) {
  OnewayCall call;
  call.version = target_->version;
  request_sent_ = true;
  const engine::CallResult result{.start = both_directions_->start_call(call, encode)};
  return result.start == StartStatus::sent ? State::done : fail_both_directions(result);
}

Invocation::State Invocation::fail_both_directions(const engine::CallResult& result) {
  TransactResult transact = transact_result_of(result);
  if (transact.cause == FailureCause::deadline && !slot_.deadline.passed(context_.clock.now()))
    transact.cause = FailureCause::timed_out;
  failure().endpoint = both_directions_->transport().peer();
  failure().io = {IoErrorKind::end_of_stream, IoOperation::receive, result.error_code,
                  failure().endpoint};
  if (result.error_code != 0) failure().io.kind = IoErrorKind::system;
  failure().request_size = request_buffer_->size();
  if (result.failure == CallFailure::bad_message)
    failure().limit_text = to_string(both_directions_->exceeded_limit());
  const auto connection = std::exchange(both_directions_, {});
  if (!is_of_connection(transact.cause)) {
    request_sent_ = transact.request_accepted;
    const State failed = fail(transact.stage, transact.cause);
    failure().request_accepted = transact.request_accepted;
    return failed;
  }
  return after_failed_request(*connection, transact, true, [this] { return expired(); });
}

Invocation::State Invocation::take_reply_both_directions(engine::CallResult& result) {
  slot_.message = std::move(result.message);
  auto reply = both_directions_->session().parse_reply(slot_.message, slot_.contexts);
  if (!reply) return fail(InvocationStage::awaiting, FailureCause::bad_message);
  slot_.reply = std::move(*reply);
  status_ = slot_.reply->header.status;
  body_ = slot_.reply->body;
  body_.set_code_sets(target_->endpoint->code_sets());
  if (interception_ != nullptr) return take_intercepted_reply();
  return State::classify;
}

}  // namespace perigee::orb
