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

// CORBA 3.0, 15.4.8: MessageError in our highest version, then the end. A datagram is dropped: its
// sender may not be the client.
void Connection::reject(ThreadFrame& frame) noexcept {
  home_.handler().count_malformed();
  if (io_.has_datagrams()) return;
  fail_calls(CallFailure::bad_message);
  try {
    frame.reply.clear();
    cdr::Encoder encoder(frame.reply);
    io_.session().encode_message_error(encoder, io_.session().protocol().version_max());
    send_now(frame.reply);
  } catch (const std::exception& exception) {  // no memory: it ends without
    log::write(log::Level::error, "server", exception.what());
  }
  begin_finishing();
}

}  // namespace perigee::engine
