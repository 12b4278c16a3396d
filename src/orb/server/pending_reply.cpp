// Holding requests, and answering those that want to know only that they have arrived.
#include "orb/server/pending_reply.h"

#include "orb/core/orb_core.h"
#include "orb/server/conversation.h"
#include "orb/server/deferred_reply.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/clock.h>
#include <perigee/iop/components.h>

#include <algorithm>
#include <chrono>
#include <memory>

namespace perigee::orb {

using messaging::ReplyStatus;

namespace {

// Of TRANSIENT, as where the adapter refuses.
constexpr std::uint32_t minor_held_too_many = omg_minor(1);
constexpr std::uint64_t remaining_time_max = std::uint64_t{1} << 52;  // microseconds: 142 years

}  // namespace

PendingReply::PendingReply(Conversation& conversation, messaging::IncomingMessage& message,
                           const messaging::Parsed<messaging::RequestHeader>& request,
                           ServingThread& thread) noexcept
    : AdmittedRequest(conversation, &thread.reply, message.version, request.header.request_id),
      message_(message),
      thread_(thread),
      response_(request.header.response) {
  operation_ = request.header.operation;
  object_key_ = request.header.object_key;
  arguments_ = request.body;
  response_expected_ = response_ != messaging::ResponseFlags::none;
}

// What is too long for the clock to count is as good as for ever. Whoever waits for no reply says
// nothing that would be of use.
void PendingReply::take_time_limit(const messaging::RequestHeader& header) noexcept {
  const auto found =
      std::ranges::find(header.contexts, iop::context_remaining_time, &iop::ServiceContext::id);
  if (found == header.contexts.end() || !response_expected_) return;
  const Clock& clock = conversation().core().clock();
  if (message_.awaited_until.is_never()) {
    const auto microseconds = iop::decode_remaining_time(found->data);
    if (!microseconds || *microseconds > remaining_time_max) return;
    const std::chrono::microseconds remaining(*microseconds);
    message_.awaited_until =
        Deadline::after(remaining, message_.arrived ? *message_.arrived : clock.now());
  }
  limit_time(clock, message_.awaited_until);
}

PendingReply::~PendingReply() {
  if (waits_) conversation().end_hold(message_.octets.size());
}

// If the message is taken away, its octets stay where the dispatcher sees them until it returns.
ServerRequest::Hold PendingReply::hold() {
  if (waits_) return Hold::wait;
  const Hold decision = conversation().host().hold({message_, gate()}, thread_);
  held_ = decision == Hold::taken;
  if (decision != Hold::wait) return decision;
  waits_ = conversation().begin_hold(message_.octets.size());
  return waits_ ? Hold::wait : Hold::refused;
}

bool PendingReply::waits_behind_others() {
  const Hold decision = conversation().host().hold_behind({message_, gate()}, thread_);
  held_ = decision == Hold::taken;
  if (decision == Hold::refused)
    reply_exception(CORBA::TRANSIENT(minor_held_too_many, CORBA::COMPLETED_NO));
  return decision != Hold::wait;
}

const void* PendingReply::gate() const noexcept {
  RequestDispatcher* const dispatcher = conversation().core().dispatcher();
  return dispatcher == nullptr ? nullptr : dispatcher->gate_of(object_key_);
}

// CORBA 3.0, 15.4.2.1: WITH_SERVER is answered before the upcall, whose outcome nobody hears of.
void PendingReply::begin_upcall() {
  if (response_ != messaging::ResponseFlags::with_server) return;
  send(ReplyStatus::no_exception, nullptr);
  response_expected_ = false;
}

ServerRequest* PendingReply::make_deferred() {
  auto later = std::make_unique<DeferredReply>(*this, conversation(), version());
  conversation().defer(*this, *later);
  return later.release();
}

}  // namespace perigee::orb
