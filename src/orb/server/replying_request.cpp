// Encoding replies: in the version of the request, in the byte order of this machine.
#include "orb/server/replying_request.h"

#include "orb/connection/message_limits.h"
#include "orb/serving/sent_details.h"
#include "orb/serving/server_interception.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/log.h>
#include <perigee/base/probe.h>
#include <perigee/iop/exception_detail.h>
#include <perigee/orb/stub.h>

#include <string>

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

[[noreturn, gnu::cold]] void raise_unencoded(cdr::Encoder& encoder,
                                             const engine::Connection& connection) {
  std::string limit;
  if (encoder.error().kind == cdr::ErrorKind::too_large)
    limit = too_large_text("the reply", encoder.buffer().size(), connection.session().limits(),
                           connection.transport().carrier().shape);
  raise_encode_error(encoder.error(), Sender::server, CORBA::COMPLETED_YES, limit);
}

}  // namespace

std::string_view ReplyingRequest::peer() const noexcept { return connection_.transport().peer(); }

std::optional<PeerIdentity> ReplyingRequest::peer_identity() const noexcept {
  return connection_.transport().peer_identity();
}

const PeerCertificate* ReplyingRequest::peer_certificate() const noexcept {
  return connection_.transport().peer_certificate();
}

void ReplyingRequest::count(OrbMetrics& metrics, const LatencyTimer& timer) const noexcept {
  metrics.requests.add(outcome());
  const bool has_failed = failed() || outcome_ == RequestOutcome::system_exception;
  timer.record(has_failed ? LatencyTable::failed : operation());
}

void ReplyingRequest::send_user_exception(const CORBA::UserException& exception) {
  send(ReplyStatus::user_exception, [&exception](cdr::Encoder& encoder) {
    encoder.write_string(exception._rep_id());
    exception._encode(encoder);
  });
}

// False if there is no text, or if the reply with the text cannot be sent. Then nothing has been
// sent.
bool ReplyingRequest::send_with_detail(const CORBA::SystemException& exception) noexcept try {
  const std::string_view text = sent_part(exception.detail(), details());
  if (text.empty()) return false;
  const Octets data = iop::encode_exception_detail(text);
  const iop::ServiceContext context{iop::context_exception_detail, data};
  send(ReplyStatus::system_exception,
       [&exception](cdr::Encoder& encoder) { encode_system_exception(encoder, exception); },
       {&context, 1});
  return true;
} catch (...) {
  return false;
}

void ReplyingRequest::send_system_exception(const CORBA::SystemException& exception) noexcept {
  if (send_with_detail(exception) || send_plain(exception, Extras::contexts)) return;
  if (interception() != nullptr && send_plain(exception, Extras::none))
    return log::write(log::Level::warning, "server",
                      "an exception was sent without the service contexts of interceptors, which "
                      "cannot be encoded");
  log::write(log::Level::error, "server", "a system exception could not be sent");
}

// False if the reply cannot be sent. Then nothing has been sent.
bool ReplyingRequest::send_plain(const CORBA::SystemException& exception, Extras extras) noexcept
    try {
  const auto encode = [&exception](cdr::Encoder& encoder) {
    encode_system_exception(encoder, exception);
  };
  if (extras == Extras::contexts)
    send(ReplyStatus::system_exception, encode);
  else
    send_with(ReplyStatus::system_exception, encode, {});
  return true;
} catch (...) {
  return false;
}

void ReplyingRequest::send_forward(const CORBA::Object& target, bool permanent) {
  send(permanent ? ReplyStatus::location_forward_perm : ReplyStatus::location_forward,
       [&target](cdr::Encoder& encoder) { stub::encode_object(encoder, &target); });
}

void ReplyingRequest::send(ReplyStatus status, ResultEncoder encode,
                           std::span<const iop::ServiceContext> contexts) {
  if (interception() != nullptr) contexts = interception()->reply_contexts(contexts);
  send_with(status, encode, contexts);
}

[[gnu::always_inline]] inline void ReplyingRequest::send_with(
    ReplyStatus status, ResultEncoder encode, std::span<const iop::ServiceContext> contexts) {
  outcome_ = RequestOutcome::cancelled;
  if (cancelled()) return;
  outcome_ = outcome_of_reply(status);
  transmit({.request_id = id_, .status = status, .contexts = contexts}, encode);
}

void ReplyingRequest::send_reply(ResultEncoder encode) {
  send_with(ReplyStatus::no_exception, encode, {});
}

void ReplyingRequest::send_intercepted_reply(ResultEncoder encode) {
  send(ReplyStatus::no_exception, encode);
}

void ReplyingRequest::write(cdr::Buffer& buffer, const messaging::ReplyHeader& header,
                            ResultEncoder encode, std::size_t link_size_min) {
  buffer.clear();
  cdr::Encoder encoder(buffer, link_size_min);
  const messaging::Session& session = connection_.session();
  session.begin_reply(encoder, version_, header,
                      encode ? messaging::Body::present : messaging::Body::empty);
  encoder.set_code_sets(arguments_.code_sets());
  probe::stamp(Point::reply_begun);
  if (encode) encode(encoder);
  probe::stamp(Point::results_encoded);
  session.finish(encoder);
  probe::stamp(Point::reply_finished);
  if (!encoder.ok()) [[unlikely]]
    raise_unencoded(encoder, connection_);
}

}  // namespace perigee::orb
