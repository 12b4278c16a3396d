// Passes replies of targets to the clients. Rewrites references in location forwards.
#include "bridge/forwarder.h"
#include "bridge/message_lender.h"
#include "engine/connection/connection.h"
#include <perigee/base/log.h>
#include <perigee/cdr/encoder.h>
#include <perigee/iop/ior.h>

#include <exception>
#include <expected>
#include <optional>
#include <utility>

namespace perigee::bridge {

using engine::CallEnd;
using engine::CallFailure;
using messaging::LocateStatus;
using messaging::ReplyStatus;

namespace {

constexpr Failure lost{"COMM_FAILURE", Completion::maybe,
                       "the bridge has lost its connection to the target, or the target has sent a "
                       "malformed message"};
constexpr Failure not_executed{"TRANSIENT", Completion::no,
                               "the target has closed its connection to the bridge before it "
                               "executed the request"};
constexpr Failure no_reply_in_time{"TIMEOUT", Completion::maybe,
                                   "no reply of the target has come in time"};
constexpr Failure no_reply{
    "MARSHAL", Completion::yes,
    "the bridge cannot pass the reply on: its results would lose their alignment in the client's "
    "version of GIOP, or the reply is too large"};
constexpr Failure bad_forward{
    "MARSHAL", Completion::no,
    "the target has answered with a location forward whose reference is malformed"};
constexpr Failure too_many_targets{
    "IMP_LIMIT", Completion::no,
    "the bridge knows as many targets as it may, so it cannot pass the location forward on"};
constexpr Failure bad_results{
    "MARSHAL", Completion::yes,
    "the bridge cannot rewrite the references in the results: the results do not have the form "
    "that the IDL of the bridge describes, or they contain a valuetype that cannot be read"};
constexpr Failure other_addressing{
    "NO_IMPLEMENT", Completion::no,
    "the target asks for a profile or a reference in place of the object key, but the bridge sends "
    "only object keys"};
constexpr Failure no_memory_for_reply{"NO_MEMORY", Completion::yes, "the bridge is out of memory"};

bool is_forward(ReplyStatus status) noexcept {
  return status == ReplyStatus::location_forward || status == ReplyStatus::location_forward_perm;
}

bool is_forward(LocateStatus status) noexcept {
  return status == LocateStatus::object_forward || status == LocateStatus::object_forward_perm;
}

std::expected<iop::Ior, Failure> rewritten(References& references, cdr::Decoder& body) {
  iop::Ior ior;
  iop::decode(body, ior);
  if (!body.ok()) return std::unexpected(bad_forward);
  auto made = references.rewrite(ior);
  if (made) return std::move(*made);
  log::write(log::Level::warning, "bridge", to_string(made.error()));
  return std::unexpected(too_many_targets);
}

Failure failure_of(const CallEnd& end) noexcept {
  if (end.not_executed()) return not_executed;
  return end.failure == CallFailure::deadline ? no_reply_in_time : lost;
}

}  // namespace

void Forwarder::take_end(ForwardedCall& call, CallEnd& end) noexcept {
  Line& line = call.line;
  ++line.users;  // so that the line stays
  call.place = ForwardedCall::Place::fresh;
  call.connection = {};
  const bool may_try_again = end.not_executed() && call.kept && call.tries < tries_max &&
                             !context_.gives_up.load() && !call.client().is_closed();
  try {
    if (end.reply != nullptr)
      pass_reply(call, end);
    else if (end.location != nullptr)
      pass_location(call, end);
    else if (may_try_again)
      wait(call, call.kept.message());
    else
      fail(call, failure_of(end));
  } catch (const std::exception& exception) {
    log::write(log::Level::error, "bridge", exception.what());
    fail(call, no_memory_for_reply);
  }
  if (!line.waiting.empty() && line.connection) start_waiting(line);
  --line.users;
  forget_if_unused(line);
}

// If memory runs out, nothing was sent, and the call is not over.
void Forwarder::pass_reply(ForwardedCall& call, CallEnd& end) {
  const messaging::ReplyHeader& received = end.reply->header;
  const bool by_bridge = ReceivedContexts::of(received.contexts).bridges != 0;
  if (call.line.peer == Line::Peer::unknown)
    call.line.peer = by_bridge ? Line::Peer::bridge : Line::Peer::orb;
  if (!call.wants_reply()) return finish(call);
  if (received.status == ReplyStatus::needs_addressing_mode) return fail(call, other_addressing);
  PassedContexts contexts(contexts_, received.contexts);
  contexts.copy_passing();
  if (call.from_bridge()) contexts.add_bridges(1);
  bool written = false;
  MessageLender lender(*end.message);
  if (is_forward(received.status)) {
    const auto ior = rewritten(context_.references, end.reply->body);
    if (!ior) return fail(call, ior.error());
    written = write_forward(call, received.status, *ior, contexts);
  } else if (auto body = RawBody::of(*end.message, end.reply->body)) {
    if (reads_bodies_) body = rewritten_reply(call, end, *body);
    if (!body) return fail(call, bad_results);
    const Answered answered = call.answered();
    messaging::ReplyHeader header{answered.request_id, received.status, contexts.all()};
    written = write_reply(buffer_, answered.session, answered.version, {header, contexts_}, *body);
    if (lender.lends(body->octets)) buffer_.set_lender(lender);
  }
  if (!written) return fail(call, no_reply);
  send(call);
  buffer_.clear();  // forgets the lender
  if (reads_bodies_) rewriter_.release();
  finish(call);
}

bool Forwarder::write_forward(const ForwardedCall& call, ReplyStatus status, const iop::Ior& ior,
                              const PassedContexts& contexts) {
  const Answered answered = call.answered();
  buffer_.clear();
  cdr::Encoder encoder(buffer_);
  answered.session.begin_reply(encoder, answered.version,
                               {answered.request_id, status, contexts.all()},
                               messaging::Body::present);
  iop::encode(encoder, ior);
  answered.session.finish(encoder);
  return encoder.ok();
}

void Forwarder::pass_location(ForwardedCall& call, CallEnd& end) {
  if (!call.wants_reply()) return finish(call);
  if (!write_located(call, end)) write_here(call);
  send(call);
  finish(call);
}

// False: the answer has no form in the client's version, or it cannot pass.
bool Forwarder::write_located(const ForwardedCall& call, CallEnd& end) {
  const LocateStatus status = end.location->header.status;
  if (status == LocateStatus::needs_addressing_mode) return false;
  const Answered answered = call.answered();
  const auto body = RawBody::of(*end.message, end.location->body);
  std::optional<iop::Ior> ior;
  if (is_forward(status)) {
    auto made = rewritten(context_.references, end.location->body);
    if (!made) return false;
    ior = std::move(*made);
  }
  if (!body) return false;
  buffer_.clear();
  cdr::Encoder encoder(buffer_, is_forward(status) ? std::endian::native : body->order);
  answered.session.begin_locate_reply(encoder, answered.version, {answered.request_id, status});
  if (ior)
    iop::encode(encoder, *ior);
  else if (status == LocateStatus::system_exception)  // at the same phase in all versions
    encoder.write_octets(body->octets);
  answered.session.finish(encoder);
  return encoder.ok();
}

// After OBJECT_HERE, the client sends its request. If the target cannot be reached, the reply to
// that request says why.
void Forwarder::write_here(const ForwardedCall& call) {
  const Answered answered = call.answered();
  buffer_.clear();
  cdr::Encoder encoder(buffer_);
  answered.session.begin_locate_reply(encoder, answered.version,
                                      {answered.request_id, LocateStatus::object_here});
  answered.session.finish(encoder);
}

void Forwarder::send(ForwardedCall& call) noexcept { call.client().send_deferred(buffer_); }

}  // namespace perigee::bridge
