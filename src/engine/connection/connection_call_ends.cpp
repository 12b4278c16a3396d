// The calls of this side that end without a reply: failures, cancellation and time limits.
#include "engine/connection/connection.h"
#include <perigee/base/log.h>

#include <exception>
#include <mutex>

namespace perigee::engine {

// --- Calls without a reply ---

void Connection::end_without_reply(StartedCall& call, CallFailure failure) noexcept {
  CallEnd end{.failure = failure,
              .request_accepted = io_.accepted(call.position_),
              .framing = io_.framing_error(),
              .error_code = io_.error_code()};
  call.ended(end);
}

// All calls get the first failure.
void Connection::note_failure(CallFailure failure) noexcept {
  Outbound* const out = outbound_.load();
  CallFailure none = CallFailure::none;
  if (out != nullptr) (void)out->failure.compare_exchange_strong(none, failure);
}

// Called by the holder of the read role. Calls that are sent at this moment end on their own
// threads.
void Connection::fail_calls(CallFailure failure) noexcept {
  Outbound* const out = outbound_.load();
  if (out == nullptr) return;
  note_failure(failure);
  failure = out->failure.load();
  out->calls.fail();
  const auto any = [](OutboundCall&) { return true; };
  while (OutboundCall* const call = out->calls.take_first(any)) {
    const bool cut = failure == CallFailure::closed_by_peer && io_.has_part_of_reply(call->id);
    end_without_reply(started(*call), cut ? CallFailure::reply_cut : failure);
  }
}

bool Connection::withdraw_call(StartedCall& call, bool& request_accepted) noexcept {
  if (!take_call(call)) return false;
  request_accepted = cancel_taken(call);
  return true;
}

bool Connection::take_call(StartedCall& call) noexcept {
  Outbound* const out = outbound_.load();
  return out != nullptr && out->calls.withdraw(call);
}

bool Connection::cancel_taken(const StartedCall& call) noexcept {
  const bool request_accepted = cancel_request(call);
  call_left(*outbound_.load());
  return request_accepted;
}

// False: the request was taken back, so the peer never gets it.
bool Connection::cancel_request(const StartedCall& call) noexcept {
  if (call.position_ != 0 && io_.withdraw(call.position_)) return false;
  const bool accepted = io_.accepted(call.position_) || !io_.broken();
  if (state_.load() != State::open || io_.broken() || closing_.load()) return accepted;
  try {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    io_.session().encode_cancel_request(encoder, call.version, call.id);
    if (encoder.ok()) (void)io_.try_send(buffer);
  } catch (const std::exception& exception) {  // no memory: the late reply is dropped
    log::write(log::Level::error, "engine", exception.what());
  }
  after_send();
  return accepted;
}

// --- Time limits ---

void Outbound::Expiry::fire(Timer& timer) noexcept {
  Connection& connection = static_cast<Expiry&>(timer).connection_;
  connection.end_late_calls();
  connection.drop_reference();
}

void Connection::watch_calls(Outbound& out, Deadline deadline) noexcept {
  if (deadline.is_never()) return;
  const std::lock_guard lock(out.expiry_lock);
  if (out.expiry_ended || out.expiry_armed <= deadline) return;
  if (home_.loop().timers().closed()) return;
  out.expiry_armed = deadline;
  if (home_.loop().timers().arm(out.expiry, deadline)) add_reference();
}

// The first call starts the watch for the first reply. The watch then looks until there is a reply.
void Connection::watch_first_reply() noexcept {
  if (side_ == messaging::Role::acceptor) return;  // the peer has already sent requests
  if (agreement_.answered.load(std::memory_order_relaxed)) return;
  if (home_.settings().first_reply_timeout.count() <= 0) return;
  if (!awaits_first_reply_.exchange(true)) look();
}

void Connection::limit_call(StartedCall& call, Deadline deadline) noexcept {
  Outbound* const out = outbound_.load();
  if (out == nullptr) return;
  const bool listed = out->calls.while_listed(call, [&] { call.deadline_ = deadline; });
  if (listed) watch_calls(*out, deadline);
}

void Connection::end_late_calls() noexcept {
  Outbound& out = *outbound_.load();
  {
    const std::lock_guard lock(out.expiry_lock);
    out.expiry_armed = Deadline::never();
  }
  const TimePoint now = home_.clock().now();
  Deadline next;
  const auto is_late = [&](OutboundCall& call) {
    if (started(call).deadline_.passed(now)) return true;
    next = std::min(next, started(call).deadline_);
    return false;
  };
  while (OutboundCall* const call = out.calls.take_first(is_late)) {
    CallEnd end{.failure = CallFailure::deadline,
                .request_accepted = cancel_request(started(*call))};
    started(*call).ended(end);
    call_left(out);
    next = Deadline::never();
  }
  watch_calls(out, next);
}

void Connection::end_expiry() noexcept {
  Outbound* const out = outbound_.load();
  if (out == nullptr) return;
  bool cancelled = false;
  {
    const std::lock_guard lock(out->expiry_lock);
    out->expiry_ended = true;
    cancelled = home_.loop().timers().cancel(out->expiry);
  }
  if (cancelled) drop_reference();
}

// --- The end of the connection ---

// CloseConnection waits for the calls of this side. True: there is none, and none will begin.
bool Connection::calls_over() noexcept {
  Outbound* const out = outbound_.load();
  if (out == nullptr) return true;
  (void)out->calls.close();
  out->close_due.store(true);
  return out->calls.listed() == 0 && out->close_due.exchange(false);
}

void Connection::call_left(Outbound& out) noexcept {
  if (out.close_due.load() && out.calls.listed() == 0 && out.close_due.exchange(false)) [[unlikely]]
    send_close_now();
}

}  // namespace perigee::engine
