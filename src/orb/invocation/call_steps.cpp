// Decides about further tries. A call may be tried again as long as the server cannot have executed
// the request (interop facts 19, 21, 24 of docs/interop.md).
#include "orb/invocation/call_steps.h"

#include "orb/connection/message_limits.h"
#include "orb/context/code_sets.h"
#include "orb/context/orb_metrics.h"
#include "orb/context/server.h"
#include "orb/invocation/sent_contexts.h"
#include "orb/values/system_exceptions.h"
#include <perigee/iop/listen_points.h>

#include <bit>
#include <chrono>
#include <new>
#include <string>
#include <utility>

namespace perigee::orb {

using messaging::ResponseFlags;

void CallSteps::fail_without_target() {
  const Binding& binding = *round_.binding;
  const auto cause = !binding.excluded.empty()      ? FailureCause::protocols_excluded
                     : !binding.other_hosts.empty() ? FailureCause::other_host
                                                    : FailureCause::no_usable_profile;
  fail(InvocationStage::resolving, cause);
  failure().endpoint = !binding.excluded.empty() ? binding.excluded : binding.other_hosts;
}

// All profiles of a location forward have been tried. Goes on with the remaining profiles of the
// binding before the forward. tests/orb/forwarding_order_test.cpp shows the order.
bool CallSteps::return_to_forwarded() noexcept {
  if (may_not_rebind()) return false;
  if (forwarded_.empty()) return false;
  profiles_->forget(*round_.binding);
  round_ = std::move(forwarded_.back());
  forwarded_.pop_back();
  return true;
}

// Done once per call. The base is the binding of the reference without forwards. If a forward has
// failed, the object may have moved again, so the call uses the base. If the base has failed, new
// protocols may have been registered since it was resolved.
bool CallSteps::return_to_base() {
  if (may_not_rebind()) return false;
  if (std::exchange(returned_to_base_, true)) return false;
  if (hops_ == 0 && round_.binding->kind == Binding::Kind::base) {
    BindingRef renewed = profiles_->renew_base(*round_.binding);
    if (renewed == nullptr) return false;
    use(std::move(renewed));
    return true;
  }
  forwarded_.clear();
  profiles_->forget(*round_.binding);
  use(profiles_->base());
  return true;
}

// OBJECT_NOT_EXIST from the target of a forward: the call goes back to the base (CORBA 3.0, 15.6).
// An operation that was executed may raise the same exception about another object. Then the call
// ends with this exception.
bool CallSteps::forwarded_object_is_gone() const {
  if (round_.binding->kind != Binding::Kind::forward) return false;
  cdr::Decoder body = body_;
  if (body.read_string_view() != "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0") return false;
  (void)body.read<std::uint32_t>();  // minor
  const auto completed = body.read<std::uint32_t>();
  return body.ok() && completed == static_cast<std::uint32_t>(CORBA::COMPLETED_NO);
}

bool CallSteps::says_that_object_is_gone() const noexcept {
  cdr::Decoder body = body_;
  return request_.operation == "_non_existent" && body.read_boolean();
}

std::string CallSteps::server_text(std::span<const iop::ServiceContext> contexts) const {
  std::string text = exception_detail_in(contexts);
  if (text.empty() && is_object_not_exist(body_))
    text = "the object key of the request is " + key_text(target_->object_key);
  return text;
}

// The server asks for another addressing mode. The request is sent again to the same target, and
// the binding remembers the mode. A server that keeps asking is given up (CORBA 3.0, 15.4.3.1).
CallSteps::State CallSteps::address_as_asked() {
  const auto asked = static_cast<messaging::AddressingMode>(body_.read<std::int16_t>());
  const bool known = body_.ok() && asked >= messaging::AddressingMode::key &&
                     asked <= messaging::AddressingMode::reference;
  if (!known || ++addressing_changes_ > 2)
    return fail(InvocationStage::awaiting, FailureCause::addressing_mode);
  round_.binding->addressing.store(asked, std::memory_order_relaxed);
  return retry_intercepted() ? State::connect : fail_intercepted();
}

CallSteps::State CallSteps::follow_forward(Permanence permanence) {
  iop::Ior ior;
  iop::decode(body_, ior, context_.settings.reference_limits);
  failure().cdr = body_.error();
  const bool decoded = body_.ok();
  if (!decoded) return fail(InvocationStage::forwarding, FailureCause::bad_forward);
  if (ior.is_nil()) return fail(InvocationStage::forwarding, FailureCause::nil_forward);
  if (++hops_ > context_.settings.forward_hops_max)
    return fail(InvocationStage::forwarding, FailureCause::forward_hops);
  if (may_not_rebind()) return fail(InvocationStage::forwarding, FailureCause::rebind);
  context_.metrics.forwards.fetch_add(1, std::memory_order_relaxed);
  if (interception_ != nullptr &&
      interception_->forwarded(intercepted_try(), ior) != CallInterception::Next::go_on)
    return fail_intercepted();
  remember_answer();
  BindingRef adopted = profiles_->adopt(
      make_binding(context_, std::move(ior), Binding::Kind::forward, profiles_->preference()),
      permanence);
  if (permanence == Permanence::permanent && !left_reference_) reference_.replace(adopted->ior);
  forwarded_.push_back(std::move(round_));
  use(std::move(adopted));
  return State::choose;
}

void CallSteps::note_encode_error(cdr::Encoder& encoder, const messaging::Session& session) {
  failure().cdr = encoder.error();
  failure().limit_text.clear();
  if (encoder.error().kind != cdr::ErrorKind::too_large) return;
  const auto shape =
      target_->endpoint->loses_messages() ? messaging::Shape::datagrams : messaging::Shape::stream;
  failure().limit_text =
      too_large_text("the request", encoder.buffer().size(), session.limits(), shape);
}

bool CallSteps::write_request(const messaging::Session& session, cdr::Buffer& buffer,
                              std::uint32_t request_id,
                              std::span<const iop::ServiceContext> announced, Deadline deadline) {
  buffer.clear();
  cdr::Encoder encoder(buffer, link_size_min());
  messaging::RequestHeader request_header = header(request_id);
  request_header.contexts = announced;
  SentContexts contexts;
  if (!deadline.is_never() && request_.response != ResponseFlags::none) {
    const Duration left = deadline.left(context_.clock.now());
    request_header.contexts =
        contexts.with_time(announced, std::chrono::ceil<std::chrono::microseconds>(left));
  }
  if (interception_ != nullptr)
    request_header.contexts = interception_->request_contexts(request_header.contexts);
  session.begin_request(encoder, target_->version, request_header,
                        request_.encode ? messaging::Body::present : messaging::Body::empty);
  encoder.set_code_sets(target_->endpoint->code_sets());
  if (request_.encode) request_.encode(encoder);
  if (encoder.ok()) session.finish(encoder);  // may fail: the message is too large
  if (encoder.ok()) return true;
  note_encode_error(encoder, session);
  return false;
}

bool CallSteps::write_request_over(const engine::Connection& connection, cdr::Buffer& buffer,
                                   std::uint32_t request_id, Deadline deadline) {
  const messaging::Session& session = connection.session();
  const engine::Agreement& agreement = connection.agreement();
  if (agreement.answered.load(std::memory_order_relaxed))
    return write_request(session, buffer, request_id, {}, deadline);
  const auto announced = target_->endpoint->announcement();
  const bool offered = agreement.bidirectional.load(std::memory_order_relaxed) &&
                       connection.role() == messaging::Role::opener;
  if (!offered) return write_request(session, buffer, request_id, announced, deadline);
  const Octets points = iop::encode_listen_points(
      context_.server->listen_points(target_->endpoint->endpoint().scheme));
  SentContexts contexts;
  return write_request(session, buffer, request_id,
                       contexts.with(announced, {iop::context_bi_dir_iiop, points}), deadline);
}

CallSteps::State CallSteps::fail(InvocationStage stage, FailureCause cause) {
  failure().stage = stage;
  failure().cause = cause;
  failure().request_accepted = false;
  failure().endpoint = endpoint_text();
  return State::failed;
}

// Also called in noexcept functions of asynchronous calls. So the text is empty if there is no
// memory for it.
std::string CallSteps::endpoint_text() const noexcept try {
  return target_ != nullptr ? to_string(target_->endpoint->endpoint()) : std::string();
} catch (const std::bad_alloc&) {
  return {};
}

bool CallSteps::encode_collocated(cdr::Buffer& request) {
  request.clear();
  cdr::Encoder encoder(request);
  encoder.set_code_sets(collocated_code_sets(context_.settings.code_sets));
  if (request_.encode) request_.encode(encoder);
  if (encoder.ok()) return true;
  failure().cdr = encoder.error();
  fail(InvocationStage::sending, FailureCause::encode);
  return false;
}

CallSteps::State CallSteps::call_collocated(cdr::Buffer& request, cdr::Buffer& reply,
                                            Deadline deadline) {
  if (!encode_collocated(request)) return State::failed;
  RequestDispatcher* const dispatcher = context_.dispatcher.load(std::memory_order_acquire);
  if (dispatcher == nullptr) return State::connect;  // the ORB is being destroyed
  const auto status =
      dispatch_collocated(context_, collocated_call(*dispatcher, request, deadline), reply);
  if (status) return take_collocated(*status, reply);
  fail(InvocationStage::awaiting, status.error());
  failure().request_accepted = true;
  return State::failed;
}

CallSteps::State CallSteps::begin_collocated(cdr::Buffer& request, cdr::Buffer& reply,
                                             std::shared_ptr<CollocatedWait>& later,
                                             Deadline until) {
  if (!encode_collocated(request)) return State::failed;
  RequestDispatcher* const dispatcher = context_.dispatcher.load(std::memory_order_acquire);
  if (dispatcher == nullptr) return State::connect;  // the ORB is being destroyed
  const CollocatedCall call = collocated_call(*dispatcher, request, until);
  const auto status = orb::begin_collocated(context_, call, reply, later);
  return status ? take_collocated(*status, reply) : State::collocated;
}

CollocatedCall CallSteps::collocated_call(RequestDispatcher& dispatcher, const cdr::Buffer& request,
                                          Deadline deadline) const noexcept {
  return {dispatcher,
          request_.operation,
          target_->object_key,
          request_.response,
          request,
          interception_,
          deadline};
}

CallSteps::State CallSteps::take_collocated(messaging::ReplyStatus status,
                                            const cdr::Buffer& reply) {
  status_ = status;
  if (request_.response == ResponseFlags::none) return State::done;
  body_ =
      cdr::Decoder(reply.own_octets(), std::endian::native, 0, context_.messaging.limits().values);
  body_.set_code_sets(collocated_code_sets(context_.settings.code_sets));
  if (status == messaging::ReplyStatus::system_exception)
    failure().server_text = collocated_detail(body_);
  return State::classify;
}

CallSteps::State CallSteps::after_failed_connect(IoError io) {
  const bool has_next = round_.tried < round_.binding->targets.size();
  if (target_ != nullptr && has_next) target_->endpoint->log_failed_connect(io);
  failure().io = std::move(io);
  failure().endpoint = endpoint_text();
  failure().request_accepted = false;
  failure().stage = InvocationStage::connecting;
  failure().cause = FailureCause::connect;
  return State::choose;
}

CallSteps::State CallSteps::try_again(bool may_be_stale) {
  context_.metrics.retries.fetch_add(1, std::memory_order_relaxed);
  if (!may_be_stale || freshness_ == Freshness::fresh) {
    if (interception_ != nullptr) interception_->try_failed();
    return State::choose;
  }
  if (!retry_intercepted()) return fail_intercepted();
  freshness_ = Freshness::fresh;
  return State::connect;
}

}  // namespace perigee::orb
