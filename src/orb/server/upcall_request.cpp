// Requests that are parked or deferred, and requests that are answered before their upcall.
#include "orb/server/upcall_request.h"

#include "orb/core/orb_core.h"
#include "orb/server/deferred_upcall.h"
#include "orb/server/kept_upcall.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/clock.h>
#include <perigee/iop/components.h>

#include <algorithm>
#include <chrono>
#include <memory>

namespace perigee::orb {

using messaging::ReplyStatus;
using messaging::ResponseFlags;

namespace {

// A larger reply buffer is freed after its reply.
constexpr std::size_t reply_buffer_kept_max = 1u << 20;
// A pinned value may keep a message that takes at most this many times its own memory.
constexpr std::size_t pinned_excess_factor = 4;
constexpr std::uint64_t remaining_time_max = std::uint64_t{1} << 52;  // microseconds: 142 years

}  // namespace

UpcallRequest::UpcallRequest(OrbCore& core, engine::IncomingRequest& request) noexcept
    : ReplyingRequest(request.connection, request.id(), request.version()),
      core_(core),
      request_(request),
      timer_(core.metrics(), core.metrics().request_latencies) {
  operation_ = request.parsed.header.operation;
  object_key_ = request.parsed.header.object_key;
  arguments_ = request.parsed.body;
  arguments_.set_decoded_memory(decoded_memory_);
  response_expected_ = request.response() != ResponseFlags::none;
}

// A remaining time above the maximum counts as no limit. The time limit of a oneway is ignored: its
// client waits for no reply.
void UpcallRequest::take_time_limit() noexcept {
  const auto& contexts = request_.parsed.header.contexts;
  const auto found =
      std::ranges::find(contexts, iop::context_remaining_time, &iop::ServiceContext::id);
  if (found == contexts.end() || !response_expected_) return;
  const Clock& clock = core_.clock();
  messaging::IncomingMessage& message = request_.message;
  if (message.awaited_until.is_never()) {
    const auto microseconds = iop::decode_remaining_time(found->data);
    if (!microseconds || *microseconds > remaining_time_max) return;
    const std::chrono::microseconds remaining(*microseconds);
    message.awaited_until =
        Deadline::after(remaining, message.arrived ? *message.arrived : clock.now());
  }
  limit_time(clock, message.awaited_until);
}

// Parking takes the message out of the request. The octets of the message stay in place, so the
// dispatcher may read them until it returns.
ServerRequest::Hold UpcallRequest::hold() {
  RequestDispatcher* const dispatcher = core_.dispatcher();
  const void* const point = dispatcher != nullptr ? dispatcher->gate_of(object_key_) : nullptr;
  parked_ = connection().park(request_, point);
  if (parked_) return Hold::taken;
  note_refused();
  return Hold::refused;
}

// CORBA 3.0, 15.4.2.1: WITH_SERVER is answered before the upcall, whose outcome is not sent.
void UpcallRequest::begin_upcall() {
  if (request_.response() != ResponseFlags::with_server) return;
  send(ReplyStatus::no_exception, nullptr);
  response_expected_ = false;
}

// The message leaves this request only when nothing can fail any longer.
KeptRequest* UpcallRequest::keep() {
  engine::ParkedShare share(core_.context().engine.parked, request_.message.size());
  if (!share) {
    note_refused();
    throw CORBA::TRANSIENT(omg_minor(1), CORBA::COMPLETED_NO,
                           "too many octets wait for the main thread (-ORBHeldSizeMax)");
  }
  auto kept = std::make_unique<KeptUpcall>(core_, std::move(share));
  request_.message.keep();
  std::unique_ptr<ServerRequest> later(defer());
  later->set_interception(nullptr);
  kept->begin(request_, std::move(later));
  return kept.release();
}

ServerRequest* UpcallRequest::make_deferred() {
  return DeferredUpcall::make(core_, *this, request_, timer_, std::move(decoded_memory_));
}

// A small message is in memory of the thread, and a value of a few octets must not keep a large
// message. Such values are copied.
counted_ptr<cdr::PinnedMemory> UpcallRequest::share(cdr::Decoder& decoder, OctetSpan octets) {
  messaging::MessageStorage& storage = request_.message.storage;
  const std::size_t memory = storage.memory(request_.message.octets.size());
  const bool is_inside = storage && octets.data() >= storage.data() &&
                         octets.data() < storage.data() + storage.capacity();
  if (!is_inside || octets.size() < core_.settings().link_size_min ||
      memory / pinned_excess_factor > octets.size())
    return nullptr;
  auto shared = storage.share(cdr::PinCharge(decoder.environment()), memory);
  if (!shared) decoder.fail(cdr::ErrorKind::memory_full);
  return shared;
}

SentDetails UpcallRequest::details() const noexcept { return core_.settings().sent_details; }

void UpcallRequest::transmit(const messaging::ReplyHeader& header, ResultEncoder encode) {
  cdr::Buffer& buffer = request_.frame.reply;
  {
    const engine::MessagePlace place = connection().place_for(buffer, request_.frame);
    write(buffer, header, encode, core_.settings().link_size_min);
    connection().send(buffer, request_.frame);
  }
  if (buffer.own_size() > reply_buffer_kept_max) buffer = cdr::Buffer();
}

}  // namespace perigee::orb
