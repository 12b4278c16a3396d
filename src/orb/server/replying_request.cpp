// Encoding replies: in the version of the request, in the byte order of this machine.
#include "orb/server/replying_request.h"

#include "orb/values/system_exceptions.h"
#include <perigee/base/log.h>
#include <perigee/base/probe.h>
#include <perigee/orb/stub.h>

namespace perigee::orb {

using messaging::ReplyStatus;
using probe::Point;

namespace {

RequestOutcome outcome_of_reply(ReplyStatus status) noexcept {
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

std::string_view ReplyingRequest::peer() const noexcept { return connection_.transport().peer(); }

std::optional<PeerIdentity> ReplyingRequest::peer_identity() const noexcept {
  return connection_.transport().peer_identity();
}

void ReplyingRequest::count(OrbMetrics& metrics, const LatencyTimer& timer) const noexcept {
  metrics.requests.add(outcome_);
  const bool has_failed = failed() || outcome_ == RequestOutcome::system_exception;
  timer.record(has_failed ? LatencyTable::failed : operation());
}

void ReplyingRequest::send_reply(ResultEncoder encode) { send(ReplyStatus::no_exception, encode); }

void ReplyingRequest::send_user_exception(const CORBA::UserException& exception) {
  send(ReplyStatus::user_exception, [&exception](cdr::Encoder& encoder) {
    encoder.write_string(exception._rep_id());
    exception._encode(encoder);
  });
}

void ReplyingRequest::send_system_exception(const CORBA::SystemException& exception) noexcept {
  try {
    send(ReplyStatus::system_exception,
         [&exception](cdr::Encoder& encoder) { encode_system_exception(encoder, exception); });
  } catch (...) {
    log::write(log::Level::error, "server", "a system exception could not be sent");
  }
}

void ReplyingRequest::send_forward(const CORBA::Object& target, bool permanent) {
  send(permanent ? ReplyStatus::location_forward_perm : ReplyStatus::location_forward,
       [&target](cdr::Encoder& encoder) { stub::encode_object(encoder, &target); });
}

void ReplyingRequest::send(ReplyStatus status, ResultEncoder encode) {
  outcome_ = RequestOutcome::cancelled;
  if (cancelled()) return;
  outcome_ = outcome_of_reply(status);
  transmit(status, encode);
}

void ReplyingRequest::write(cdr::Buffer& buffer, ReplyStatus status, ResultEncoder encode) {
  buffer.clear();
  cdr::Encoder encoder(buffer, std::endian::native, cdr::Encoder::Borrowing::yes);
  const messaging::Session& session = connection_.session();
  session.begin_reply(encoder, version_, {.request_id = id_, .status = status},
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
