// Requests off the usual path: parked, cancelled, duplicated, oversized and malformed requests.
#include "engine/connection/connection.h"
#include <perigee/base/log.h>

#include <exception>

namespace perigee::engine {

using messaging::IncomingMessage;

// Kept::yes: no upcall now. The request was parked behind earlier requests, or was refused.
Connection::Kept Connection::keep_behind_others(IncomingRequest& request) noexcept {
  const HoldQueue::Place place{*this, home_.handler().hold_point(request.parsed.header.object_key),
                               request.frame.parked_number};
  switch (home_.parked().keep_behind(place, request.message)) {
    case HoldQueue::Kept::not_needed:
      return Kept::no;
    case HoldQueue::Kept::refused:
      home_.handler().refuse(request, Refusal::too_many_parked);
      break;
    case HoldQueue::Kept::due:
      home_.dispatch_parked();
      break;
    case HoldQueue::Kept::yes:
      break;
  }
  return Kept::yes;
}

void Connection::handle_parked(IncomingMessage& message, ThreadFrame& frame) noexcept {
  if (state_.load() != State::open || io_.broken()) return;
  frame.connection = this;
  try {
    (void)handle_request(message, frame);
  } catch (const std::exception& exception) {  // no memory: the connection ends
    log::write(log::Level::error, "server", exception.what());
    cut();
  }
  uncork();
}

// False: the datagram is a duplicate, or it asks for a reply and the endpoint sends none.
bool Connection::takes_datagram(const messaging::RequestHeader& header) noexcept {
  if (header.response != messaging::ResponseFlags::none && !may_reply()) return false;
  return recent_requests_->add(header.request_id, home_.clock().now());
}

// A datagram's sender address may be forged. The reply, which may be much larger than the request,
// would then hit an uninvolved host. So a listening endpoint for datagrams sends replies only with
// the option replies=yes.
bool Connection::may_reply() noexcept {
  if (io_.transport().carrier().flow != messaging::Flow::receive_only) return true;
  io_.count_dropped_datagram();
  if (home_.is_first_unwanted_call())
    log_client(log::Level::warning,
               " asks for a reply, but this endpoint sends none: such requests are dropped");
  return false;
}

void Connection::handle_cancel(const IncomingMessage& message, ThreadFrame& frame) {
  const auto id = io_.session().parse_cancel_request(message);
  if (!id) return reject(frame);
  requests_.cancel(*id);
}

// The client learns the limit from an exception. The rest of its request follows on the stream, so
// the connection ends: CloseConnection is sent when the requests in progress have ended. The state
// changes before this side's calls fail, so that no new call starts: its reply would not be read.
void Connection::reject_unreadable(ThreadFrame& frame) noexcept {
  if (io_.exceeded_limit().limit == MessageLimit::none) return reject(frame);
  home_.handler().note_exceeded(*this, io_.exceeded_limit());
  if (!refuse_large(frame)) return reject(frame);
  home_.handler().count_malformed();
  State open = State::open;
  (void)state_.compare_exchange_strong(open, State::refusing);
  fail_calls(CallFailure::bad_message);
  io_.discard_input();
  drain();
}

// False: no reply can be sent. The message is not a two-way request, its header is not readable,
// this side serves no requests, or there is no memory.
bool Connection::refuse_large(ThreadFrame& frame) noexcept try {
  IncomingMessage message;
  if (!serves_requests() || !io_.show_refused(message)) return false;
  auto parsed = io_.session().parse_request(message, frame.contexts);
  if (!parsed || parsed->header.response == messaging::ResponseFlags::none) return false;
  IncomingRequest request(*this, message, *parsed, frame);
  home_.handler().refuse(request, Refusal::too_large);
  return true;
} catch (const std::exception& exception) {  // no memory
  log::write(log::Level::error, "server", exception.what());
  return false;
}

// While parsing, a session checks only one limit: the number of service contexts. Datagrams are not
// reported: note_exceeded means that the connection ends.
void Connection::reject_request(messaging::FramingError error, ThreadFrame& frame) noexcept {
  const ExceededLimit contexts{MessageLimit::service_contexts, 0,
                               io_.session().limits().service_contexts_max};
  const bool is_limit = error == messaging::FramingError::too_large && !io_.has_datagrams();
  if (is_limit) home_.handler().note_exceeded(*this, contexts);
  reject(frame);
}

// CORBA 3.0, 15.4.8: sends MessageError in the protocol's highest version, then ends the
// connection. A datagram is only dropped: its sender address may be forged.
void Connection::reject(ThreadFrame& frame) noexcept {
  home_.handler().count_malformed();
  if (io_.has_datagrams()) return;
  rejected_.store(true);
  fail_calls(CallFailure::bad_message);
  try {
    frame.reply.clear();
    cdr::Encoder encoder(frame.reply);
    io_.session().encode_message_error(encoder, io_.session().protocol().version_max());
    send_now(frame.reply);
  } catch (const std::exception& exception) {  // no memory: no MessageError is sent
    log::write(log::Level::error, "server", exception.what());
  }
  begin_finishing();
}

}  // namespace perigee::engine
