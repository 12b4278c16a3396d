// Decides how each request is answered. Source: CORBA 3.0, 15.4.
#include "orb/server/request_serving.h"

#include "orb/bidirectional/bidirectional.h"
#include "orb/connection/message_limits.h"
#include "orb/context/code_sets.h"
#include "orb/context/orb_metrics.h"
#include "orb/core/orb_core.h"
#include "orb/server/upcall_request.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/log.h>
#include <perigee/orb/stub.h>

#include <exception>
#include <new>
#include <string>
#include <utility>

namespace perigee::orb {

using engine::Refusal;
using messaging::IncomingMessage;
using messaging::LocateStatus;

namespace {

constexpr std::uint32_t minor_adapter_missing = CORBA::OMGVMCID | 2;  // OBJECT_NOT_EXIST
constexpr std::uint32_t minor_parked_too_many = omg_minor(1);  // TRANSIENT, as adapters raise it

// Whether the target came as a profile or reference in which no key was found (interop fact 15 of
// docs/interop.md).
template <typename Header>
bool is_without_key(const Header& header) noexcept {
  return header.addressing != messaging::AddressingMode::key && header.object_key.empty();
}

void write_key_mode(cdr::Encoder& encoder) {
  encoder.write(static_cast<std::int16_t>(messaging::AddressingMode::key));
}

LocateStatus locate_status_of(const Location& location) noexcept {
  switch (location.status) {
    case Location::Status::here:
      return LocateStatus::object_here;
    case Location::Status::forward:
      return location.target ? LocateStatus::object_forward : LocateStatus::unknown_object;
    case Location::Status::unknown:
      break;
  }
  return LocateStatus::unknown_object;
}

std::string refusal_text(const Settings& settings, const engine::Connection& connection,
                         Refusal refusal) {
  switch (refusal) {
    case Refusal::too_many:
      return "the connection has " + std::to_string(settings.requests_per_connection_max) +
             " requests in progress (-ORBRequestsPerConnectionMax)";
    case Refusal::too_many_in_all:
      return "the server has " + std::to_string(settings.requests_max) +
             " requests in progress (-ORBRequestsMax)";
    case Refusal::too_many_parked:
      return "too many requests are held (-ORBHeldRequestsMax, -ORBHeldSizeMax)";
    case Refusal::no_room_to_wait:
      return "the requests that wait take too much memory (-ORBHeldSizeMax)";
    case Refusal::too_large:
      break;
  }
  return "the server refuses " + to_string(connection.exceeded_limit());
}

// Out of line, since most keys are known. If there is no memory for the text, the reply has none.
[[gnu::noinline]] void refuse_key(UpcallRequest& upcall) noexcept {
  std::string text;
  try {
    text = "no object here has the key " + key_text(upcall.object_key());
  } catch (const std::bad_alloc&) {  // no text
  }
  upcall.reply_exception(
      CORBA::OBJECT_NOT_EXIST(minor_adapter_missing, CORBA::COMPLETED_NO, std::move(text)));
}

// CORBA 3.0, annex A; interop fact 32 of docs/interop.md.
void refuse_code_sets(UpcallRequest& upcall, AnnouncedCodeSets::Problem problem) noexcept {
  switch (problem) {
    case AnnouncedCodeSets::Problem::malformed:
      return upcall.reply_exception(CORBA::MARSHAL(0, CORBA::COMPLETED_NO));
    case AnnouncedCodeSets::Problem::unknown:
      return upcall.reply_exception(
          CORBA::CODESET_INCOMPATIBLE(minor_unknown_code_set, CORBA::COMPLETED_NO));
    case AnnouncedCodeSets::Problem::changed:
      return upcall.reply_exception(CORBA::MARSHAL(minor_code_sets_changed, CORBA::COMPLETED_NO));
  }
}

}  // namespace

RequestServing::RequestServing(OrbCore& core) noexcept
    : core_(core), environment_(core.request_environment()) {}

void RequestServing::begin(engine::Connection& connection) noexcept {
  AnnouncedCodeSets(core_.settings().code_sets, connection.agreement()).begin();
}

void RequestServing::end(engine::Connection& connection) noexcept {
  core_.bidirectional().forget(connection);
}

// A server calls an object of this client over the client's own connection.
bool RequestServing::is_callback(const engine::Connection& connection) noexcept {
  return connection.role() == messaging::Role::opener;
}

void RequestServing::handle(engine::IncomingRequest& request) noexcept {
  const messaging::RequestHeader& header = request.parsed.header;
  request.parsed.body.set_environment(&environment_);
  AnnouncedCodeSets announced(core_.settings().code_sets, request.connection.agreement());
  const auto code_sets = announced.take(request.version(), header.contexts);
  if (code_sets) request.parsed.body.set_code_sets(*code_sets);
  UpcallRequest upcall(core_, request);
  if (!header.contexts.empty()) [[unlikely]] {
    upcall.take_time_limit();
    core_.bidirectional().hear(request.connection, request.version(), header.contexts);
  }
  if (!code_sets) [[unlikely]]
    refuse_code_sets(upcall, code_sets.error());
  else if (is_without_key(header)) [[unlikely]]
    ask_for_key(request);
  else
    dispatch(upcall);
  if (!upcall.parked() && !upcall.deferred()) upcall.count(core_.metrics(), upcall.timer());
}

// Over a client's own connection, a server reaches only objects of bidirectional adapters. It
// cannot find out whether other objects exist.
[[gnu::always_inline]] inline void RequestServing::dispatch(UpcallRequest& upcall) noexcept {
  RequestDispatcher* const dispatcher = core_.dispatcher();
  const bool confined = is_callback(upcall.connection());
  if (dispatcher == nullptr || (confined && !dispatcher->is_bidirectional(upcall.object_key())))
      [[unlikely]]
    return refuse_key(upcall);
  if (confined) [[unlikely]]
    upcall.connection().agreement().carries_callbacks.store(true, std::memory_order_relaxed);
  dispatcher->dispatch(upcall);
  if (!upcall.answered() && !upcall.parked())  // otherwise the client would wait for ever
    upcall.reply_exception(CORBA::NO_RESPONSE(0, CORBA::COMPLETED_MAYBE));
}

void RequestServing::refuse(engine::IncomingRequest& request, Refusal refusal) noexcept {
  core_.metrics().requests.add(RequestOutcome::refused);
  UpcallRequest upcall(core_, request);
  std::string text;
  try {
    text = refusal_text(core_.settings(), request.connection, refusal);
  } catch (const std::bad_alloc&) {  // no text
  }
  if (refusal == Refusal::too_large)
    return upcall.reply_exception(CORBA::IMP_LIMIT(0, CORBA::COMPLETED_NO, std::move(text)));
  std::uint32_t minor = minor_parked_too_many;
  if (refusal == Refusal::too_many) minor = minor_too_many_requests;
  if (refusal == Refusal::too_many_in_all) minor = minor_too_many_in_all;
  upcall.reply_exception(CORBA::TRANSIENT(minor, CORBA::COMPLETED_NO, std::move(text)));
}

void RequestServing::note_exceeded(engine::Connection& connection,
                                   const engine::ExceededLimit& exceeded) noexcept try {
  log::write(log::Level::warning, "server",
             std::string(connection.transport().peer()) + " has sent " + to_string(exceeded) +
                 ": the connection is closed");
} catch (const std::exception& exception) {  // no memory for the line
  log::write(log::Level::warning, "server", exception.what());
}

void RequestServing::ask_for_key(engine::IncomingRequest& request) noexcept try {
  cdr::Buffer& reply = request.frame.reply;
  reply.clear();
  cdr::Encoder encoder(reply);
  const messaging::Session& session = request.connection.session();
  session.begin_reply(
      encoder, request.version(),
      {.request_id = request.id(), .status = messaging::ReplyStatus::needs_addressing_mode},
      messaging::Body::present);
  write_key_mode(encoder);
  session.finish(encoder);
  if (encoder.ok()) request.connection.send(reply, request.frame);
} catch (const std::exception& exception) {  // no memory: the client waits for its time-out
  log::write(log::Level::error, "server", exception.what());
}

bool RequestServing::locate(engine::Connection& connection, const IncomingMessage& message,
                            engine::ThreadFrame& frame) noexcept try {
  return answer_locate(connection, message, frame);
} catch (const std::exception& exception) {  // no memory: the client waits for its time-out
  log::write(log::Level::error, "server", exception.what());
  return true;
}

bool RequestServing::answer_locate(engine::Connection& connection, const IncomingMessage& message,
                                   engine::ThreadFrame& frame) {
  const messaging::Session& session = connection.session();
  const auto request = session.parse_locate_request(message);
  if (!request) return false;
  const bool needs_key = is_without_key(*request);
  RequestDispatcher* const dispatcher = core_.dispatcher();
  Location location;
  const bool confined = is_callback(connection) && !needs_key && dispatcher != nullptr &&
                        !dispatcher->is_bidirectional(request->object_key);
  if (!needs_key && dispatcher != nullptr && !confined)
    location = dispatcher->locate(request->object_key);
  const LocateStatus status =
      needs_key ? LocateStatus::needs_addressing_mode : locate_status_of(location);
  frame.reply.clear();
  cdr::Encoder encoder(frame.reply);
  session.begin_locate_reply(encoder, message.version,
                             {.request_id = request->request_id, .status = status});
  if (needs_key) write_key_mode(encoder);
  if (status == LocateStatus::object_forward) stub::encode_object(encoder, location.target.get());
  session.finish(encoder);
  if (!encoder.ok()) return false;
  connection.send(frame.reply, frame);
  return true;
}

const void* RequestServing::hold_point(OctetSpan object_key) noexcept {
  RequestDispatcher* const dispatcher = core_.dispatcher();
  return dispatcher == nullptr ? nullptr : dispatcher->gate_of(object_key);
}

bool RequestServing::cancels() const noexcept { return core_.cancels(); }

void RequestServing::count_malformed() noexcept {
  core_.metrics().malformed_messages.fetch_add(1, std::memory_order_relaxed);
}

// Logged once for each server: tells the operator why requests of a client wait.
void RequestServing::tell_full(engine::Connection& connection) noexcept {
  if (has_told_full_.exchange(true)) return;
  try {
    log::write(log::Level::info, "server",
               std::string(connection.transport().peer()) + " has " +
                   std::to_string(core_.settings().requests_per_connection_max) +
                   " requests in progress: more of them wait (-ORBRequestsPerConnectionMax)");
  } catch (const std::exception& exception) {  // no memory for the line
    log::write(log::Level::warning, "server", exception.what());
  }
}

}  // namespace perigee::orb
