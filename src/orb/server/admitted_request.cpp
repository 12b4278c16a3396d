// Encoding answers: in the version of the request, in our own byte order.
#include "orb/server/admitted_request.h"

#include "orb/connection/call_buffers.h"
#include "orb/core/orb_core.h"
#include "orb/server/conversation.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/log.h>
#include <perigee/base/probe.h>
#include <perigee/orb/stub.h>

namespace perigee::orb {

using messaging::ReplyStatus;
using probe::Point;

namespace {

// A buffer that one large answer has grown is not kept.
constexpr std::size_t reply_buffer_kept_max = 1u << 20;

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

std::string_view AdmittedRequest::peer() const noexcept {
  return conversation_.host().transport().peer();
}

std::optional<PeerIdentity> AdmittedRequest::peer_identity() const noexcept {
  return conversation_.host().transport().peer_identity();
}

void AdmittedRequest::send_reply(ResultEncoder encode) { send(ReplyStatus::no_exception, encode); }

void AdmittedRequest::send_user_exception(const CORBA::UserException& exception) {
  send(ReplyStatus::user_exception, [&exception](cdr::Encoder& encoder) {
    encoder.write_string(exception._rep_id());
    exception._encode(encoder);
  });
}

void AdmittedRequest::send_system_exception(const CORBA::SystemException& exception) noexcept {
  try {
    send(ReplyStatus::system_exception,
         [&exception](cdr::Encoder& encoder) { encode_system_exception(encoder, exception); });
  } catch (...) {
    log::write(log::Level::error, "server", "a system exception could not be sent");
  }
}

void AdmittedRequest::send_forward(const CORBA::Object& target, bool permanent) {
  send(permanent ? ReplyStatus::location_forward_perm : ReplyStatus::location_forward,
       [&target](cdr::Encoder& encoder) { stub::encode_object(encoder, &target); });
}

void AdmittedRequest::send(ReplyStatus status, ResultEncoder encode) {
  outcome_ = RequestOutcome::cancelled;
  if (cancelled_.load(std::memory_order_relaxed)) return;
  outcome_ = outcome_of(status);
  if (buffer_ == nullptr) [[unlikely]] {
    CallBuffer buffer;
    write(*buffer, status, encode);
    return conversation_.host_.send_later(*buffer);
  }
  write(*buffer_, status, encode);
  conversation_.host_.send(*buffer_);
  if (buffer_->own_size() > reply_buffer_kept_max) *buffer_ = cdr::Buffer();
}

[[gnu::always_inline]] inline void AdmittedRequest::write(cdr::Buffer& buffer, ReplyStatus status,
                                                          ResultEncoder encode) {
  buffer.clear();
  cdr::Encoder encoder(buffer, std::endian::native, cdr::Encoder::Borrowing::yes);
  const messaging::Session& session = conversation_.session_;
  session.begin_reply(encoder, version_, {.request_id = request_id_, .status = status},
                      encode ? messaging::Body::present : messaging::Body::empty);
  encoder.set_code_sets(arguments_.code_sets());
  probe::stamp(Point::reply_begun);
  if (encode) encode(encoder);
  probe::stamp(Point::results_encoded);
  session.finish(encoder);
  probe::stamp(Point::reply_finished);
  if (!encoder.ok()) raise_encode_error(encoder.error(), Sender::server, CORBA::COMPLETED_YES);
}

}  // namespace perigee::orb
