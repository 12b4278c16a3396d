// The states of one call. `run` inlines the states that a usual call has, in their order.
// A call may be tried again as long as the server cannot have executed the request (interop facts
// 19, 21, 24 of docs/interop.md).
#include "orb/invocation/invocation.h"

#include "engine/connection/wait.h"
#include "orb/context/orb_context.h"
#include "orb/context/orb_metrics.h"
#include "orb/context/upcall_scope.h"
#include "orb/invocation/sent_contexts.h"
#include <perigee/base/probe.h>

#include <algorithm>
#include <string>
#include <utility>

namespace perigee::orb {

using messaging::ResponseFlags;

Invocation::Invocation(Reference& reference, const InvocationRequest& request)
    : CallSteps(reference, request) {}

Invocation::~Invocation() { leave_connection(); }

const InvocationError* Invocation::run() {
  if ((request_.time_limit.count() | request_.send_limit.count()) != 0) [[unlikely]]
    begin_time_limits();
  begin();
  probe::stamp(probe::Point::initialised);
  State state = State::choose;
  for (;;) {
    switch (state) {
      case State::choose:
        state = choose();
        if (state != State::connect) break;
        [[fallthrough]];
      case State::connect:
        state = connect();
        if (state != State::transmit) break;
        [[fallthrough]];
      case State::transmit:
        state = transmit();
        if (state != State::classify) break;
        [[fallthrough]];
      case State::classify:
        state = classify();
        if (state != State::done) break;
        [[fallthrough]];
      case State::done:
        return nullptr;
      case State::collocated:
        state = call_collocated();
        break;
      case State::failed:
        return &failure();
    }
  }
}

// The earlier of the two limits ends the sending of the request.
void Invocation::begin_time_limits() noexcept {
  const TimePoint now = context_.clock.now();
  if (request_.time_limit.count() != 0) slot_.deadline = Deadline::after(request_.time_limit, now);
  slot_.send_deadline = slot_.deadline;
  if (request_.send_limit.count() != 0)
    slot_.send_deadline = std::min(slot_.deadline, Deadline::after(request_.send_limit, now));
}

// A lost datagram is never sent again, so a call without a time limit might wait for ever.
void Invocation::limit_call_over_datagrams() noexcept {
  const bool is_limited = !slot_.deadline.is_never() && !has_default_limit();
  if (request_.response == ResponseFlags::none || is_limited) return;
  slot_.deadline = std::min(slot_.deadline, Deadline::after(context_.settings.datagram_call_timeout,
                                                            context_.clock.now()));
  slot_.send_deadline = std::min(slot_.send_deadline, slot_.deadline);
}

[[gnu::always_inline]] inline Invocation::State Invocation::connect() {
  engine::MessagePlace::leave_all();  // outer calls of this thread may be encoding their arguments
  if (target_->endpoint->loses_messages()) [[unlikely]]
    limit_call_over_datagrams();
  if (expired()) return fail(InvocationStage::connecting, FailureCause::deadline);
  if (may_use_both_directions()) [[unlikely]] {
    const State next = choose_both_directions();
    if (next != State::connect) return next;
  }
  const bool nested = UpcallScope::inside(context_);
  if (!nested) [[likely]]
    engine::end_turns();
  else if (!nested_wait_.begin(*context_.server))
    return fail(InvocationStage::sending, FailureCause::nested_too_deep);
  // The only thread of a loop serves other connections while this call waits.
  const bool serves = nested && serves_while_waiting(context_.settings.thread_strategy);
  slot_.nested_server = serves ? context_.server.get() : nullptr;
  if (freshness_ == Freshness::any && !serves) [[likely]]
    if (ConnectionSlot* const own = target_->endpoint->claim_usable_own()) {
      lease_ = ConnectionLease(*target_->endpoint, *own, true);
      return State::transmit;
    }
  return check_out(serves);
}

// Called if the connection in the thread's own slot is not available, or must not be used.
[[gnu::noinline]] Invocation::State Invocation::check_out(bool serves) {
  const bool oneway = request_.response == ResponseFlags::none;
  auto lease = target_->endpoint->checkout(freshness_,
                                           serves   ? Sharing::forbidden
                                           : oneway ? Sharing::in_order
                                                    : Sharing::allowed,
                                           checkout_limits(slot_.send_deadline));
  if (lease) {
    lease_ = std::move(*lease);
    if (lease_.reused() || !expired()) return State::transmit;
  }
  if (expired()) return fail(InvocationStage::connecting, FailureCause::deadline);
  return after_failed_connect(std::move(lease.error()));
}

template <Invocation::Intercepted intercepted>
[[gnu::always_inline]] inline bool Invocation::encode_request() {
  probe::stamp(probe::Point::connection_found);
  const messaging::Session& session = lease_->session();
  slot_.id = lease_->take_request_id();
  request_buffer_->clear();
  cdr::Encoder encoder(*request_buffer_, link_size_min());
  messaging::RequestHeader header = CallSteps::header(slot_.id);
  if (!lease_->answered()) header.contexts = target_->endpoint->announcement();
  SentContexts contexts;
  if (!slot_.deadline.is_never() && request_.response != ResponseFlags::none) [[unlikely]]
    header.contexts = contexts.with_time(header.contexts, time_left());
  if constexpr (intercepted == Intercepted::yes)
    header.contexts = interception_->request_contexts(header.contexts);
  session.begin_request(encoder, target_->version, header,
                        request_.encode ? messaging::Body::present : messaging::Body::empty);
  encoder.set_code_sets(target_->endpoint->code_sets());
  probe::stamp(probe::Point::request_begun);
  if (request_.encode) request_.encode(encoder);
  probe::stamp(probe::Point::arguments_encoded);
  if (encoder.ok()) session.finish(encoder);  // may fail: the message is too large
  probe::stamp(probe::Point::request_finished);
  if (encoder.ok()) return true;
  note_encode_error(encoder, session);
  return false;
}

template <Invocation::Intercepted intercepted>
[[gnu::always_inline]] inline Invocation::State Invocation::transmit_here() {
  const bool oneway = request_.response == ResponseFlags::none;
  engine::MessagePlace place = lease_->place_for(*request_buffer_, is_buffered());
  if (!encode_request<intercepted>()) return fail(InvocationStage::sending, FailureCause::encode);
  slot_.delivered = false;
  if (slot_.nested_server != nullptr) limit_first_reply();
  request_sent_ = true;
  const TransactResult result = oneway ? send_oneway() : lease_->transact(*request_buffer_, slot_);
  place.end();
  nested_wait_.end();
  if (result.cause != FailureCause::none) return after_failure(result);
  if (oneway) return State::done;
  status_ = slot_.reply->header.status;
  body_ = slot_.reply->body;
  body_.set_code_sets(target_->endpoint->code_sets());
  if constexpr (intercepted == Intercepted::yes) return take_intercepted_reply();
  return State::classify;
}

[[gnu::always_inline]] inline Invocation::State Invocation::transmit() {
  if (both_directions_) [[unlikely]]
    return transmit_both_directions();
  if (interception_ != nullptr) [[unlikely]]
    return transmit_intercepted();
  return transmit_here<Intercepted::no>();
}

// A copy of the code, so that usual calls have one test.
[[gnu::cold, gnu::noinline]] Invocation::State Invocation::transmit_intercepted() {
  return transmit_here<Intercepted::yes>();
}

// Interceptors may make calls, also over this connection. So their ending points run when the call
// has left the connection and its read role. The reply then stays in memory of the call.
[[gnu::cold, gnu::noinline]] Invocation::State Invocation::take_intercepted_reply() {
  if (lease_) {
    slot_.message.keep();
    auto reply = lease_->session().parse_reply(slot_.message, slot_.contexts);
    if (!reply) {  // the same octets were parsed before
      fail(InvocationStage::awaiting, FailureCause::bad_message);
      failure().request_accepted = true;
      return State::failed;
    }
    body_ = reply->body;
    body_.set_code_sets(target_->endpoint->code_sets());
    slot_.reply = std::move(*reply);
  }
  const auto contexts = slot_.reply->header.contexts;
  interception_->keep_reply_contexts(contexts);
  if (status_ == messaging::ReplyStatus::system_exception)
    failure().server_text = CallSteps::server_text(contexts);
  slot_.reply.reset();
  leave_connection();
  return State::classify;
}

std::chrono::microseconds Invocation::time_left() const noexcept {
  return std::chrono::ceil<std::chrono::microseconds>(slot_.deadline.left(context_.clock.now()));
}

// A thread that serves a loop does not buffer the oneway, since the connection may be for this call
// only.
TransactResult Invocation::send_oneway() {
  if (is_buffered())
    return lease_->send_soon(*request_buffer_, *request_.buffering, slot_.send_deadline);
  return lease_->send_only(*request_buffer_, slot_.send_deadline);
}

// For a thread that serves other requests while it waits. The connection's own time-out limits only
// reads that block.
void Invocation::limit_first_reply() {
  const auto limit = context_.settings.first_reply_timeout;
  const bool limited = limit > std::chrono::milliseconds::zero() && !lease_->answered();
  slot_.mute_until = limited ? Deadline::after(limit, context_.clock.now()) : Deadline::never();
}

Invocation::State Invocation::after_failure(const TransactResult& result) {
  const bool reused = lease_.reused();
  lease_->describe(failure(), result.stage);
  failure().request_size = request_buffer_->size();
  leave_connection();
  return after_failed_request(result, reused, [this] { return expired(); });
}

// If the call goes on, it may need another connection.
[[gnu::always_inline]] inline Invocation::State Invocation::classify() {
  const State next = CallSteps::classify();
  if (next != State::done) leave_connection();
  return next;
}

Invocation::State Invocation::call_collocated() {
  slot_.reply.reset();  // the reply of a remote target that has forwarded the call
  if (!reply_buffer_) reply_buffer_.emplace();
  return CallSteps::call_collocated(*request_buffer_, **reply_buffer_, slot_.deadline);
}

CallInterception::Next Invocation::end_interception(const InvocationError* error) {
  leave_connection();  // held after a oneway, or if the request was not encoded
  nested_wait_.end();
  return CallSteps::end_interception(error != nullptr);
}

std::string Invocation::server_text() {
  return slot_.reply ? CallSteps::server_text(slot_.reply->header.contexts) : failure().server_text;
}

void Invocation::leave_connection() noexcept {
  both_directions_ = {};
  if (!lease_) return;
  lease_->finish(slot_);
  lease_.reset();
}

}  // namespace perigee::orb
