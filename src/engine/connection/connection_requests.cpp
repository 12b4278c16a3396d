// Requests that take another way than most: parked, cancelled, doubled and malformed ones.
#include "engine/connection/connection.h"
#include <perigee/base/log.h>

#include <exception>

namespace perigee::engine {

using messaging::IncomingMessage;

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

// False: the network has doubled the datagram, or the request asks for a reply that is not sent.
bool Connection::takes_datagram(const messaging::RequestHeader& header) noexcept {
  if (header.response != messaging::ResponseFlags::none && !may_reply()) return false;
  return recent_requests_->add(header.request_id, home_.clock().now());
}

// The sender's address of a datagram may be forged: then the reply, which may be much larger than
// the request, would hit a host that has asked for nothing. So the endpoint decides.
bool Connection::may_reply() noexcept {
  if (io_.transport().carrier().flow != messaging::Flow::receive_only) return true;
  io_.count_dropped_datagram();
  if (home_.is_first_unwanted_call())
    log_client(log::Level::warning,
               " asks for a reply, but its endpoint sends none: such requests are dropped");
  return false;
}

void Connection::handle_cancel(const IncomingMessage& message, ThreadFrame& frame) {
  const auto id = io_.session().parse_cancel_request(message);
  if (!id) return reject(frame);
  requests_.cancel(*id);
}

// A client that waits for a reply learns the limit from an exception. The next octets are the rest
// of its request, so the connection ends: with CloseConnection, after the requests in progress. The
// state changes before the calls fail, so that no call begins after them: its reply is not read.
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

// False: the client gets no reply, since it waits for none, or is not known.
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

// A session enforces one limit: that of the service contexts.
void Connection::reject_request(messaging::FramingError error, ThreadFrame& frame) noexcept {
  const ExceededLimit contexts{MessageLimit::service_contexts, 0,
                               io_.session().limits().service_contexts_max};
  const bool is_limit = error == messaging::FramingError::too_large && !io_.has_datagrams();
  if (is_limit) home_.handler().note_exceeded(*this, contexts);
  reject(frame);
}

// CORBA 3.0, 15.4.8: MessageError in our highest version, then the end. A datagram is dropped: its
// sender may not be the client.
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
