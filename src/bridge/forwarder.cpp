// Sends requests to targets.
#include "bridge/forwarder.h"

#include "engine/connection/connection.h"
#include "engine/connection/thread_frame.h"
#include <perigee/base/deadline.h>
#include <perigee/base/log.h>
#include <perigee/cdr/encoder.h>
#include <perigee/giop/giop.h>

#include <algorithm>
#include <exception>
#include <new>

namespace perigee::bridge {

using engine::StartStatus;
using messaging::IncomingMessage;
using messaging::RequestHeader;
using messaging::Version;

namespace {

constexpr Failure bad_phase{
    "MARSHAL", Completion::no,
    "the bridge cannot pass the request on: its arguments would lose their alignment in the "
    "version of GIOP that the target speaks, or the request is too large"};
constexpr Failure in_pieces{"MARSHAL", Completion::no,
                            "the header of the request is in several fragments of GIOP 1.1, which "
                            "the bridge does not pass on"};
constexpr Failure bad_arguments{
    "MARSHAL", Completion::no,
    "the bridge cannot rewrite the references in the arguments: the arguments do not have the form "
    "that the IDL of the bridge describes, or they contain a valuetype that cannot be read"};
constexpr Failure too_many_lines{"TRANSIENT", Completion::no,
                                 "the bridge may make no more connections to targets"};

// GIOPlite is GIOP 1.2 with other headers.
Version plain_version(Version version) noexcept {
  return version == giop::lite_version ? Version{1, 2} : version;
}

Version version_for(const Line& line, Version of_client) noexcept {
  const Version version =
      std::min({plain_version(of_client), line.target->version, line.messages->version_max()});
  return line.target->reads_lite ? line.messages->short_form(version) : version;
}

}  // namespace

Forwarder::Forwarder(const BridgeContext& context, engine::Loop& loop)
    : context_(context),
      home_(context.engine, *this, *this, loop, context.target_traffic),
      reads_bodies_(!context.options.rewriting.operations.empty() ||
                    !context.options.rewriting.exceptions.empty()),
      rewriter_(context.options.messages.message_size_max, context.options.rewriting) {}

Forwarder::~Forwarder() = default;

void Forwarder::answer(engine::IncomingRequest& request, const Failure& failure) noexcept try {
  if (request.response() == messaging::ResponseFlags::none) return;
  cdr::Buffer& reply = request.frame.reply;
  const bool from_bridge = ReceivedContexts::of(request.parsed.header.contexts).bridges != 0;
  write_failure(reply, {request.connection.session(), request.version(), request.id(), from_bridge},
                failure);
  request.connection.send(reply, request.frame);
} catch (const std::exception& exception) {  // no memory: the client gets no reply
  log::write(log::Level::error, "bridge", exception.what());
}

void Forwarder::forward(engine::IncomingRequest& request,
                        const References::Destination& destination,
                        const ReceivedContexts& received) noexcept try {
  engine::Connection& client = request.connection;
  std::atomic<Agreement>& announced = client.agreement().code_set_numbers;
  if (received.agreement) announced.store(*received.agreement, std::memory_order_relaxed);
  const Agreement agreement = announced.load(std::memory_order_relaxed);
  auto body = RawBody::of(request.message, request.parsed.body);
  if (!body) return answer(request, in_pieces);
  const OperationTypes* const types =
      reads_bodies_ ? types_of(request.parsed.header.operation) : nullptr;
  if (types != nullptr) {
    body = rewritten_request({*body, request.parsed, request.version(), agreement, types}, client);
    if (!body) return answer(request, bad_arguments);
  }
  // All checks come first: a new line that no call uses would stay, and count for `lines_max`.
  Line* const line = line_of(*destination.target, agreement);
  if (line == nullptr) {
    rewriter_.release();
    return answer(request, too_many_lines);
  }
  Outgoing outgoing{request.parsed.header, *body, version_for(*line, request.version())};
  outgoing.header.object_key = destination.object_key;
  const bool is_oneway = request.response() == messaging::ResponseFlags::none;
  if (is_oneway && is_ready(*line) && send_oneway(*line, client, outgoing, request.message))
    return rewriter_.release();
  ForwardedCall* const call =
      ForwardedCall::make(*this, *line, client,
                          {request.id(), request.version(), request.response(),
                           ForwardedCall::Kind::request, received.bridges != 0, types});
  // If this turn of the loop may receive more requests, they are sent together with this one.
  call->may_wait_for_turn =
      request.frame.more_at_hand || home_.loop().reactor().calls_more_in_turn();
  defer(*call, request, outgoing, request.message);
  if (types != nullptr) rewriter_.release();
} catch (const std::exception& exception) {
  log::write(log::Level::error, "bridge", exception.what());
  answer(request, no_memory);
}

bool Forwarder::pass_locate(engine::Connection& client, const IncomingMessage& message,
                            const messaging::LocateRequestHeader& request,
                            const References::Destination& destination) {
  struct Admitted final : engine::InboundRequest {
    using InboundRequest::InboundRequest;
  };
  Line* const line = line_of(*destination.target, client.agreement().code_set_numbers.load());
  if (line == nullptr) return false;
  const bool may_be_bridge = line->peer != Line::Peer::orb;
  if (may_be_bridge && line->locates_in_flight >= locates_max) return false;
  Admitted admitted(request.request_id, message.version, messaging::ResponseFlags::with_target);
  ForwardedCall* const call =
      ForwardedCall::make(*this, *line, client,
                          {request.request_id, message.version,
                           messaging::ResponseFlags::with_target, ForwardedCall::Kind::locate});
  if (client.requests().admit(admitted) != engine::Admission::admitted) {
    call->place = ForwardedCall::Place::over;
    call->drop_reference();
    return false;
  }
  ++line->locates_in_flight;
  Outgoing outgoing{{}, {}, version_for(*line, message.version)};
  outgoing.header.object_key = destination.object_key;
  IncomingMessage view;
  view.kind = message.kind;
  view.version = message.version;
  view.order = message.order;
  view.octets = message.octets;
  view.header_size = message.header_size;
  defer(*call, admitted, outgoing, view);
  return true;
}

// The request may have been cancelled already: `InboundRequests::defer` then calls `give_up`.
void Forwarder::defer(ForwardedCall& call, engine::InboundRequest& request,
                      const Outgoing& outgoing, IncomingMessage& message) noexcept {
  call.add_reference();
  call.client().requests().defer(request, call);
  if (call.place == ForwardedCall::Place::fresh) {
    if (!is_ready(call.line) || !start(call, outgoing, message)) wait(call, message);
  }
  call.drop_reference();
}

// Once `start_call` has succeeded, the call may be over already.
bool Forwarder::start(ForwardedCall& call, const Outgoing& outgoing,
                      IncomingMessage& message) noexcept try {
  call.add_reference();
  struct Dropped {
    ForwardedCall& call;
    ~Dropped() { call.drop_reference(); }
  } const dropped{call};
  Line& line = call.line;
  const engine::ConnectionRef connection = line.connection;
  const bool may_be_stale = connection->agreement().answered.load(std::memory_order_relaxed);
  if (++call.tries > tries_max) {
    fail(call, {"TRANSIENT", Completion::no, "the target closes each connection of the bridge"});
    return true;
  }
  if (may_be_stale && call.tries < tries_max && message.octets.size() <= kept_size_max)
    call.kept.keep(message);
  static_cast<engine::StartedCall&>(call).version = outgoing.version;
  call.connection = connection;
  call.place = ForwardedCall::Place::in_flight;
  const bool is_locate = call.kind() == ForwardedCall::Kind::locate;
  const Deadline limit = line.loses ? Deadline::after(lossy_reply_max, context_.engine.clock.now())
                                    : Deadline::never();
  MessageLender lender(message);
  const StartStatus status = connection->start_call(
      call,
      [&](const messaging::Session& session, std::uint32_t id) {
        return is_locate ? encode_locate(session, id, outgoing)
                         : encode_lent(line, session, id, {outgoing, lender});
      },
      limit);
  buffer_.clear();  // forgets the lender
  if (status == StartStatus::started || status == StartStatus::sent) {
    if (connection->output_blocked()) hold(line, call.client());
    if (status == StartStatus::sent) finish(call);
    return true;
  }
  call.place = ForwardedCall::Place::fresh;
  call.connection = {};
  if (status == StartStatus::closed && line.connection.get() == connection.get())
    line.connection = {};
  if (status == StartStatus::too_many) --call.tries;
  if (status == StartStatus::closed || status == StartStatus::too_many) return false;
  fail(call, status == StartStatus::not_encoded ? bad_phase : no_memory);
  return true;
} catch (const std::exception& exception) {
  log::write(log::Level::error, "bridge", exception.what());
  fail(call, no_memory);
  return true;
}

// False: the oneway has to wait. True: it was sent, or it was dropped because it cannot pass.
bool Forwarder::send_oneway(Line& line, engine::Connection& client, const Outgoing& outgoing,
                            IncomingMessage& message) {
  class Oneway final : public engine::StartedCall {
   public:
    Oneway() noexcept {
      expects_reply = false;
      may_wait_for_turn = true;
    }
    void ended(engine::CallEnd& /*end*/) noexcept override {}
  };
  Oneway call;
  static_cast<engine::StartedCall&>(call).version = outgoing.version;
  const engine::ConnectionRef connection = line.connection;
  MessageLender lender(message);
  const StartStatus status =
      connection->start_call(call, [&](const messaging::Session& session, std::uint32_t id) {
        return encode_lent(line, session, id, {outgoing, lender});
      });
  buffer_.clear();  // forgets the lender
  if (status == StartStatus::not_encoded)
    log::write(log::Level::warning, "bridge", "a oneway was dropped: its arguments cannot pass");
  if (connection->output_blocked()) hold(line, client);
  return status == StartStatus::sent || status == StartStatus::not_encoded;
}

const cdr::Buffer* Forwarder::encode(const Line& line, const messaging::Session& session,
                                     std::uint32_t id, const Outgoing& outgoing) {
  RequestHeader header = outgoing.header;
  header.request_id = id;
  header.addressing = messaging::AddressingMode::key;
  header.target = nullptr;
  const ReceivedContexts received = ReceivedContexts::of(header.contexts);
  const bool announces = line.agreement != 0 && outgoing.version.minor > 0 && !received.agreement &&
                         !line.connection->agreement().answered.load(std::memory_order_relaxed);
  PassedContexts contexts(contexts_, header.contexts);
  contexts.copy_passing();
  if (line.peer != Line::Peer::orb)
    contexts.add_bridges(static_cast<std::uint8_t>(received.bridges + 1));
  if (announces) contexts.add_code_sets(line.agreement);
  header.contexts = contexts.all();
  const bool written =
      write_request(buffer_, session, outgoing.version, {header, contexts_}, outgoing.body);
  return written ? &buffer_ : nullptr;
}

// If the request has to wait for the target, a large body is not copied.
const cdr::Buffer* Forwarder::encode_lent(const Line& line, const messaging::Session& session,
                                          std::uint32_t id, const Lent& lent) {
  const cdr::Buffer* const request = encode(line, session, id, lent.outgoing);
  if (lent.lender.lends(lent.outgoing.body.octets)) buffer_.set_lender(lent.lender);
  return request;
}

const cdr::Buffer* Forwarder::encode_locate(const messaging::Session& session, std::uint32_t id,
                                            const Outgoing& outgoing) {
  buffer_.clear();
  cdr::Encoder encoder(buffer_);
  session.encode_locate_request(encoder, plain_version(outgoing.version),
                                {.request_id = id, .object_key = outgoing.header.object_key});
  return encoder.ok() ? &buffer_ : nullptr;
}

// The message of a call that has waited, parsed again.
std::optional<Outgoing> Forwarder::outgoing_of(ForwardedCall& call) {
  const messaging::Session& session = call.client().session();
  IncomingMessage& message = call.kept.message();
  Outgoing outgoing;
  outgoing.version = version_for(call.line, message.version);
  if (call.kind() == ForwardedCall::Kind::locate) {
    const auto request = session.parse_locate_request(message);
    if (!request) return std::nullopt;
    outgoing.header.object_key = request->object_key;
  } else {
    auto request = session.parse_request(message, received_contexts_);
    auto body = request ? RawBody::of(message, request->body) : std::nullopt;
    if (body)
      body = rewritten_request(
          {*body, *request, message.version, call.line.agreement, call.types()}, call.client());
    if (!body) return std::nullopt;
    outgoing.header = request->header;
    outgoing.body = *body;
  }
  outgoing.header.object_key = context_.references.find(outgoing.header.object_key).object_key;
  return outgoing;
}

// If the bridge ends, the client gets an exception, since CloseConnection would say that its
// request was not executed.
void Forwarder::give_up(ForwardedCall& call) noexcept {
  using Place = ForwardedCall::Place;
  Completion completed = Completion::no;
  if (call.place == Place::over) return;
  if (call.place == Place::in_flight) {
    bool accepted = false;
    if (!call.connection->withdraw_call(call, accepted)) return;  // `take_end` runs, or has run
    if (accepted) completed = Completion::maybe;
    call.connection = {};
  } else if (call.place == Place::waiting) {
    call.line.waiting.remove(&call);
  }
  fail(call, {"COMM_FAILURE", completed, "the bridge ends"});
}

void Forwarder::fail(ForwardedCall& call, const Failure& failure) noexcept {
  if (call.wants_reply()) try {
      if (call.kind() == ForwardedCall::Kind::locate)
        write_here(call);
      else
        write_failure(buffer_, call.answered(), failure);
      send(call);
    } catch (const std::exception& exception) {  // no memory: the client gets no reply
      log::write(log::Level::error, "bridge", exception.what());
    }
  finish(call);
}

// Drops the reference that the call has had since `ForwardedCall::make`.
void Forwarder::finish(ForwardedCall& call) noexcept {
  if (call.kind() == ForwardedCall::Kind::locate) --call.line.locates_in_flight;
  call.place = ForwardedCall::Place::over;
  call.connection = {};
  call.share.reset();
  call.client().end_deferred(call);
  call.drop_reference();
}

}  // namespace perigee::bridge
