// Encoding answers: in the version of the request, in our own byte order, into the thread's buffer.
#include "orb/server/pending_reply.h"

#include "orb/orb_core.h"
#include "orb/server/conversation.h"
#include "orb/system_exceptions.h"
#include <perigee/base/log.h>
#include <perigee/base/probe.h>
#include <perigee/orb/stub.h>

namespace perigee::orb {

using messaging::ReplyStatus;
using probe::Point;

namespace {

// A buffer that one large answer has grown is not kept.
constexpr std::size_t reply_buffer_kept_max = 1u << 20;

// Of TRANSIENT, as where the adapter refuses.
constexpr std::uint32_t minor_held_too_many = omg_minor(1);

RequestOutcome outcome_of(ReplyStatus status) noexcept {
  switch (status) {
    case ReplyStatus::no_exception:
      return RequestOutcome::no_exception;
    case ReplyStatus::user_exception:
      return RequestOutcome::user_exception;
    case ReplyStatus::system_exception:
      return RequestOutcome::system_exception;
    default:
      return RequestOutcome::forwarded;
  }
}

}  // namespace

PendingReply::PendingReply(Conversation& conversation, messaging::IncomingMessage& message,
                           const messaging::Parsed<messaging::RequestHeader>& request,
                           ServingThread& thread) noexcept
    : conversation_(conversation),
      message_(message),
      thread_(thread),
      version_(message.version),
      request_id_(request.header.request_id),
      response_(request.header.response) {
  operation_ = request.header.operation;
  object_key_ = request.header.object_key;
  arguments_ = request.body;
  response_expected_ = response_ != messaging::ResponseFlags::none;
}

PendingReply::~PendingReply() {
  if (waits_) conversation_.end_hold(message_.octets.size());
}

// If the message is taken away, its octets stay where the dispatcher sees them until it returns.
ServerRequest::Hold PendingReply::hold() {
  if (waits_) return Hold::wait;
  const Hold decision = conversation_.host_.hold({message_, gate()}, thread_);
  held_ = decision == Hold::taken;
  if (decision != Hold::wait) return decision;
  waits_ = conversation_.begin_hold(message_.octets.size());
  return waits_ ? Hold::wait : Hold::refused;
}

bool PendingReply::waits_behind_others() {
  const Hold decision = conversation_.host_.hold_behind({message_, gate()}, thread_);
  held_ = decision == Hold::taken;
  if (decision == Hold::refused)
    reply_exception(CORBA::TRANSIENT(minor_held_too_many, CORBA::COMPLETED_NO));
  return decision != Hold::wait;
}

const void* PendingReply::gate() const noexcept {
  RequestDispatcher* const dispatcher = conversation_.core_.dispatcher();
  return dispatcher == nullptr ? nullptr : dispatcher->gate_of(object_key_);
}

// CORBA 3.0, 15.4.2.1: WITH_SERVER is answered before the upcall, whose outcome nobody hears of.
void PendingReply::begin_upcall() {
  if (response_ != messaging::ResponseFlags::with_server) return;
  send(ReplyStatus::no_exception, nullptr);
  response_expected_ = false;
}

std::string_view PendingReply::peer() const noexcept {
  return conversation_.host_.transport().peer();
}

std::optional<PeerIdentity> PendingReply::peer_identity() const noexcept {
  return conversation_.host_.transport().peer_identity();
}

void PendingReply::send_reply(ResultEncoder encode) { send(ReplyStatus::no_exception, encode); }

void PendingReply::send_user_exception(const CORBA::UserException& exception) {
  send(ReplyStatus::user_exception, [&exception](cdr::Encoder& encoder) {
    encoder.write_string(exception._rep_id());
    exception._encode(encoder);
  });
}

void PendingReply::send_system_exception(const CORBA::SystemException& exception) noexcept {
  try {
    send(ReplyStatus::system_exception,
         [&exception](cdr::Encoder& encoder) { encode_system_exception(encoder, exception); });
  } catch (...) {
    log::write(log::Level::error, "server", "a system exception could not be sent");
  }
}

void PendingReply::send_forward(const CORBA::Object& target, bool permanent) {
  send(permanent ? ReplyStatus::location_forward_perm : ReplyStatus::location_forward,
       [&target](cdr::Encoder& encoder) { stub::encode_object(encoder, &target); });
}

// Throws what the encoder failed with; then nothing has been sent.
void PendingReply::send(ReplyStatus status, ResultEncoder encode) {
  outcome_ = RequestOutcome::cancelled;
  if (cancelled_.load(std::memory_order_relaxed)) return;
  outcome_ = outcome_of(status);
  cdr::Buffer& buffer = thread_.reply;
  buffer.clear();
  cdr::Encoder encoder(buffer, std::endian::native, cdr::Encoder::Borrowing::yes);
  const messaging::Protocol& protocol = conversation_.protocol_;
  protocol.begin_reply(encoder, version_, {.request_id = request_id_, .status = status},
                       encode ? messaging::Body::present : messaging::Body::empty);
  encoder.set_code_sets(arguments_.code_sets());
  probe::stamp(Point::reply_begun);
  if (encode) encode(encoder);
  probe::stamp(Point::results_encoded);
  protocol.finish(encoder);
  probe::stamp(Point::reply_finished);
  if (!encoder.ok()) raise_encode_error(encoder.error(), Sender::server, CORBA::COMPLETED_YES);
  conversation_.host_.send(buffer);
  if (buffer.own_size() > reply_buffer_kept_max) buffer = cdr::Buffer();
}

}  // namespace perigee::orb
