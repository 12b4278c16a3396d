// Checks the access rules, loops between bridges, and whether the target's address has an object
// key.
#include "bridge/bridge_handler.h"

#include "engine/connection/thread_frame.h"
#include <perigee/base/log.h>
#include <perigee/base/printable.h>
#include <perigee/cdr/encoder.h>

#include <exception>
#include <string>

namespace perigee::bridge {

using engine::IncomingRequest;
using engine::Refusal;
using messaging::AddressingMode;
using messaging::LocateStatus;

namespace {

constexpr Failure operation_refused{"NO_PERMISSION", Completion::no,
                                    "the bridge does not pass on this operation"};
constexpr Failure object_refused{"NO_PERMISSION", Completion::no,
                                 "the bridge does not pass on requests to this object"};
constexpr Failure looped{"TRANSIENT", Completion::no,
                         "the request has passed too many bridges: their targets form a loop"};
constexpr Failure unknown_route{
    "OBJECT_NOT_EXIST", Completion::no,
    "this reference was made by another bridge, or by a bridge that has ended"};

Failure failure_of(Refusal refusal) noexcept {
  if (refusal == Refusal::too_large)
    return {"IMP_LIMIT", Completion::no, "the request is larger than the bridge allows"};
  return {"TRANSIENT", Completion::no,
          "the limit of requests in progress in the bridge is reached"};
}

/// Whether the target came as a profile or reference in which no key was found.
template <typename Header>
bool is_without_key(const Header& header) noexcept {
  return header.addressing != AddressingMode::key && header.object_key.empty();
}

void ask_for_key(IncomingRequest& request) {
  const messaging::Session& session = request.connection.session();
  cdr::Buffer& reply = request.frame.reply;
  reply.clear();
  cdr::Encoder encoder(reply);
  session.begin_reply(
      encoder, request.version(),
      {.request_id = request.id(), .status = messaging::ReplyStatus::needs_addressing_mode},
      messaging::Body::present);
  encoder.write(static_cast<std::int16_t>(AddressingMode::key));
  session.finish(encoder);
  if (encoder.ok()) request.connection.send(reply, request.frame);
}

void log_refused(const IncomingRequest& request, std::string_view what) {
  if (!log::enabled(log::Level::info)) return;
  std::string line(request.connection.transport().peer());
  line.append(": refused ")
      .append(what)
      .append(" ")
      .append(printable(request.parsed.header.operation));
  log::write(log::Level::info, "bridge", line);
}

}  // namespace

struct BridgeHandler::OfLoop {
  OfLoop(const BridgeContext& context, engine::Loop& loop, OfLoop* after)
      : forwarder(context, loop), next(after) {}

  Forwarder forwarder;
  OfLoop* const next;
};

void BridgeHandler::forget_loops() noexcept {
  while (OfLoop* const first = first_.load()) {
    first_.store(first->next);
    delete first;
  }
}

void BridgeHandler::stop() noexcept {
  for (OfLoop* each = first_.load(); each != nullptr; each = each->next) each->forwarder.stop();
}

BridgeHandler::OfLoop* BridgeHandler::find(const engine::Loop& loop) const noexcept {
  OfLoop* each = first_.load(std::memory_order_acquire);
  while (each != nullptr && &each->forwarder.loop() != &loop) each = each->next;
  return each;
}

Forwarder& BridgeHandler::forwarder_of(engine::Loop& loop) {
  if (OfLoop* const known = find(loop)) return known->forwarder;
  const std::lock_guard lock(mutex_);
  // Only the loop's thread adds this loop, so the list has no entry for it yet.
  auto* const made = new OfLoop(context_, loop, first_.load());
  first_.store(made, std::memory_order_release);
  return made->forwarder;
}

void BridgeHandler::handle(IncomingRequest& request) noexcept try {
  try_handle(request);
} catch (const std::exception& exception) {
  log::write(log::Level::error, "bridge", exception.what());
  Forwarder::answer(request, no_memory);
}

void BridgeHandler::try_handle(IncomingRequest& request) {
  const messaging::RequestHeader& header = request.parsed.header;
  const AccessRules& rules = context_.options.rules;
  if (is_without_key(header)) return ask_for_key(request);
  const References::Destination destination = context_.references.find(header.object_key);
  if (destination.target == nullptr) return Forwarder::answer(request, unknown_route);
  if (!rules.allows_operation(header.operation)) {
    log_refused(request, "operation");
    return Forwarder::answer(request, operation_refused);
  }
  if (!rules.allows_object(destination.object_key)) {
    log_refused(request, "the object of a request for operation");
    return Forwarder::answer(request, object_refused);
  }
  const ReceivedContexts received = ReceivedContexts::of(header.contexts);
  if (received.bridges >= bridges_max) return Forwarder::answer(request, looped);
  forwarder_of(request.connection.home().loop()).forward(request, destination, received);
}

void BridgeHandler::refuse(IncomingRequest& request, Refusal refusal) noexcept {
  Forwarder::answer(request, failure_of(refusal));
}

bool BridgeHandler::locate(engine::Connection& connection,
                           const messaging::IncomingMessage& message,
                           engine::ThreadFrame& frame) noexcept try {
  return try_locate(connection, message, frame);
} catch (const std::exception& exception) {  // no memory: the client gets no reply
  log::write(log::Level::error, "bridge", exception.what());
  return true;
}

// If the rules allow the object, but the LocateRequest cannot be passed on, the client gets
// OBJECT_HERE: the reply to the request that follows says what is wrong.
bool BridgeHandler::try_locate(engine::Connection& connection,
                               const messaging::IncomingMessage& message,
                               engine::ThreadFrame& frame) {
  const messaging::Session& session = connection.session();
  const auto request = session.parse_locate_request(message);
  if (!request) return false;
  LocateStatus status = LocateStatus::object_here;
  if (is_without_key(*request)) {
    status = LocateStatus::needs_addressing_mode;
  } else {
    const References::Destination destination = context_.references.find(request->object_key);
    const bool allowed = destination.target != nullptr &&
                         context_.options.rules.allows_object(destination.object_key);
    if (!allowed)
      status = LocateStatus::unknown_object;
    else if (forwarder_of(connection.home().loop())
                 .pass_locate(connection, message, *request, destination))
      return true;
  }
  frame.reply.clear();
  cdr::Encoder encoder(frame.reply);
  session.begin_locate_reply(encoder, message.version,
                             {.request_id = request->request_id, .status = status});
  if (status == LocateStatus::needs_addressing_mode)
    encoder.write(static_cast<std::int16_t>(AddressingMode::key));
  session.finish(encoder);
  if (!encoder.ok()) return false;
  connection.send(frame.reply, frame);
  return true;
}

void BridgeHandler::note_exceeded(engine::Connection& connection,
                                  const engine::ExceededLimit& /*exceeded*/) noexcept try {
  log::write(log::Level::warning, "bridge",
             std::string(connection.transport().peer()) +
                 " has sent a message that exceeds a limit: its connection is closed");
} catch (const std::exception& exception) {  // no memory for the log line
  log::write(log::Level::warning, "bridge", exception.what());
}

}  // namespace perigee::bridge
