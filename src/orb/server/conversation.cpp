// The server's side of the protocol: which message gets which answer. Source: CORBA 3.0, 15.4.
#include "orb/server/conversation.h"

#include "orb/context/orb_metrics.h"
#include "orb/core/orb_core.h"
#include "orb/server/deferred_reply.h"
#include "orb/server/pending_reply.h"
#include "orb/serving/cancellation.h"
#include "orb/values/system_exceptions.h"
#include <perigee/base/log.h>
#include <perigee/base/probe.h>
#include <perigee/event/reactor.h>
#include <perigee/orb/stub.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <string>
#include <vector>

namespace perigee::orb {

using messaging::IncomingMessage;
using messaging::LocateStatus;
using messaging::MessageKind;

namespace {

// Those whose time ends within it are told together.
constexpr std::chrono::milliseconds expiry_watch_period{1};
// What servants call for a request ends with its time, as TIMEOUT: mostly that comes first.
constexpr std::chrono::milliseconds expiry_margin{20};
constexpr std::uint32_t minor_no_adapter = CORBA::OMGVMCID | 2;  // OBJECT_NOT_EXIST

// Whether the target came as a profile or reference in which no key was found (interop fact 15).
template <typename Header>
bool lacks_key(const Header& header) noexcept {
  return header.addressing != messaging::AddressingMode::key && header.object_key.empty();
}

void write_key_addressing(cdr::Encoder& encoder) {
  encoder.write(static_cast<std::int16_t>(messaging::AddressingMode::key));
}

LocateStatus status_of(const Location& location) noexcept {
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

// CORBA 3.0, annex A; interop fact 32.
void refuse(PendingReply& request, AnnouncedCodeSets::Problem problem) noexcept {
  switch (problem) {
    case AnnouncedCodeSets::Problem::malformed:
      return request.reply_exception(CORBA::MARSHAL(0, CORBA::COMPLETED_NO));
    case AnnouncedCodeSets::Problem::unknown:
      return request.reply_exception(
          CORBA::CODESET_INCOMPATIBLE(minor_unknown_code_set, CORBA::COMPLETED_NO));
    case AnnouncedCodeSets::Problem::changed:
      return request.reply_exception(CORBA::MARSHAL(minor_code_sets_changed, CORBA::COMPLETED_NO));
  }
}

}  // namespace

Conversation::Conversation(OrbCore& core, const messaging::Session& session,
                           ConversationHost& host) noexcept
    : core_(core),
      session_(session),
      host_(host),
      code_sets_(core.settings().code_sets, agreement_) {
  code_sets_.begin();
}

Conversation::Verdict Conversation::handle(IncomingMessage& message, ServingThread& thread) {
  switch (message.kind) {
    case MessageKind::request:
      return handle_request(message, thread);
    case MessageKind::locate_request:
      return handle_locate(message, thread);
    case MessageKind::cancel_request:
      return handle_cancel(message, thread);
    case MessageKind::close_connection:
    case MessageKind::message_error:
      return Verdict::close;
    case MessageKind::reply:
    case MessageKind::locate_reply:
      break;  // we have asked nothing on this connection
  }
  return reject(thread);
}

Conversation::Verdict Conversation::reject(ServingThread& thread) {
  core_.metrics().malformed_messages.fetch_add(1, std::memory_order_relaxed);
  thread.reply.clear();
  cdr::Encoder encoder(thread.reply);
  session_.encode_message_error(encoder, session_.protocol().version_max());
  host_.send(thread.reply);
  return Verdict::close;
}

[[gnu::always_inline]] inline Conversation::Verdict Conversation::handle_request(
    IncomingMessage& message, ServingThread& thread) {
  auto request = session_.parse_request(message, thread.contexts);
  if (!request) return reject(thread);
  probe::stamp(probe::Point::request_parsed);
  request->body.set_environment(&core_);
  const auto code_sets = code_sets_.take(message.version, request->header.contexts);
  if (code_sets) request->body.set_code_sets(*code_sets);
  const LatencyTimer timer(core_.metrics(), core_.metrics().request_latencies);
  PendingReply reply(*this, message, *request, thread);
  if (!request->header.contexts.empty()) [[unlikely]]
    reply.take_time_limit(request->header);
  switch (admit(reply)) {
    case Admission::draining:
      return Verdict::go_on;  // CloseConnection says: not executed
    case Admission::too_many:
      core_.metrics().requests.add(RequestOutcome::refused);
      reply.reply_exception(CORBA::TRANSIENT(minor_too_many_requests, CORBA::COMPLETED_NO));
      return Verdict::go_on;
    case Admission::too_many_in_all:
      core_.metrics().requests.add(RequestOutcome::refused);
      reply.reply_exception(CORBA::TRANSIENT(minor_too_many_in_all, CORBA::COMPLETED_NO));
      return Verdict::go_on;
    case Admission::admitted:
      break;
  }
  struct InProgress {
    Conversation& conversation;
    PendingReply& reply;
    ~InProgress() { conversation.finish(reply); }
  } const in_progress{*this, reply};
  if (!code_sets)
    refuse(reply, code_sets.error());
  else if (lacks_key(request->header))
    ask_for_key(message, request->header.request_id, thread);
  else
    dispatch(reply, thread, request->header.response);
  if (!reply.held() && !reply.deferred()) count(reply, timer);
  return Verdict::go_on;
}

void Conversation::count(const AdmittedRequest& request, const LatencyTimer& timer) noexcept {
  core_.metrics().requests.add(request.outcome());
  const bool failed = request.failed() || request.outcome() == RequestOutcome::system_exception;
  timer.record(failed ? LatencyTable::failed : request.operation());
}

[[gnu::always_inline]] inline void Conversation::dispatch(PendingReply& request,
                                                          ServingThread& thread,
                                                          messaging::ResponseFlags response) {
  if (holds()) [[unlikely]]
    if (request.waits_behind_others()) return;
  host_.before_upcall(response, thread);
  RequestDispatcher* dispatcher = core_.dispatcher();
  if (dispatcher == nullptr)
    return request.reply_exception(CORBA::OBJECT_NOT_EXIST(minor_no_adapter, CORBA::COMPLETED_NO));
  dispatcher->dispatch(request);
  if (!request.answered() && !request.held())  // or the client would wait for ever
    request.reply_exception(CORBA::NO_RESPONSE(0, CORBA::COMPLETED_MAYBE));
}

void Conversation::ask_for_key(const IncomingMessage& message, std::uint32_t request_id,
                               ServingThread& thread) {
  thread.reply.clear();
  cdr::Encoder encoder(thread.reply);
  session_.begin_reply(
      encoder, message.version,
      {.request_id = request_id, .status = messaging::ReplyStatus::needs_addressing_mode},
      messaging::Body::present);
  write_key_addressing(encoder);
  session_.finish(encoder);
  if (encoder.ok()) host_.send(thread.reply);
}

Conversation::Verdict Conversation::handle_locate(const IncomingMessage& message,
                                                  ServingThread& thread) {
  const auto request = session_.parse_locate_request(message);
  if (!request) return reject(thread);
  if (closed()) return Verdict::go_on;  // after CloseConnection nothing is sent
  const bool needs_key = lacks_key(*request);
  RequestDispatcher* dispatcher = core_.dispatcher();
  Location location;
  if (!needs_key && dispatcher != nullptr) location = dispatcher->locate(request->object_key);
  const LocateStatus status = needs_key ? LocateStatus::needs_addressing_mode : status_of(location);
  thread.reply.clear();
  cdr::Encoder encoder(thread.reply);
  session_.begin_locate_reply(encoder, message.version,
                              {.request_id = request->request_id, .status = status});
  if (needs_key) write_key_addressing(encoder);
  if (status == LocateStatus::object_forward) stub::encode_object(encoder, location.target.get());
  session_.finish(encoder);
  if (!encoder.ok()) return reject(thread);
  host_.send(thread.reply);
  return Verdict::go_on;
}

// The reader has dropped fragments of the request; here its answer is dropped. An upcall goes on:
// nothing can stop a synchronous servant. Who is to answer later is told.
Conversation::Verdict Conversation::handle_cancel(const IncomingMessage& message,
                                                  ServingThread& thread) {
  const auto request_id = session_.parse_cancel_request(message);
  if (!request_id) return reject(thread);
  CancellationNotice stop;
  {
    const std::lock_guard guard(lock_);
    for (AdmittedRequest* pending = pending_; pending != nullptr; pending = pending->next_) {
      if (pending->request_id() != *request_id) continue;
      pending->cancel();
      if (Cancellation* const cancellation = pending->cancellation()) stop = cancellation->cancel();
      break;  // an older one with this number is a oneway: nobody waits for it
    }
  }
  stop.request_stop();
  return Verdict::go_on;
}

// Without memory for the list nobody is told: they answer, and nobody hears it.
void Conversation::cancel_deferred() noexcept try {
  std::vector<CancellationNotice> stops;
  {
    const std::lock_guard guard(lock_);
    deferred_cancelled_ = true;  // also those that are deferred from now on
    for (AdmittedRequest* pending = pending_; pending != nullptr; pending = pending->next_) {
      Cancellation* const cancellation = pending->cancellation();
      if (cancellation == nullptr) continue;
      CancellationNotice stop = cancellation->cancel();
      if (stop.stop_possible()) stops.push_back(std::move(stop));  // somebody listens
    }
  }
  for (CancellationNotice& stop : stops) stop.request_stop();
} catch (const std::exception& exception) {
  log::write(log::Level::warning, "server", exception.what());
}

void Conversation::cancel_expired(TimePoint now) noexcept try {
  cancel_expired_before(now);
  watch_expiry();
} catch (const std::exception& exception) {  // as above
  log::write(log::Level::warning, "server", exception.what());
}

void Conversation::cancel_expired_before(TimePoint now) {
  std::vector<CancellationNotice> stops;
  Deadline next;
  {
    const std::lock_guard guard(lock_);
    if (!expiry_watched_.passed(now)) return;
    expiry_watched_ = Deadline::never();  // should memory run out below, others ask again
    for (AdmittedRequest* pending = pending_; pending != nullptr; pending = pending->next_) {
      if (!pending->stop_at_.passed(now)) {
        next = std::min(next, pending->stop_at_);
        continue;
      }
      CancellationNotice stop = pending->cancellation()->cancel();  // but an answer is still sent
      if (stop.stop_possible()) stops.push_back(std::move(stop));   // somebody listens
    }
    if (!next.is_never()) next = std::max(next, Deadline::after(expiry_watch_period, now));
    expiry_watched_ = next;
  }
  for (CancellationNotice& stop : stops) stop.request_stop();
}

// The timer is for the earliest request. Mostly that has been answered when the timer fires.
void Conversation::limit_time_of(DeferredReply& later) noexcept {
  AdmittedRequest& request = later;
  const std::chrono::microseconds left(later.remaining_time());
  const Deadline stop_at = Deadline::after(left + expiry_margin, core_.clock().now());
  {
    const std::lock_guard guard(lock_);
    request.stop_at_ = stop_at;
    ++limited_count_;
    if (stop_at >= expiry_watched_) return;
    expiry_watched_ = stop_at;
  }
  watch_expiry();
}

// A timer that is about to fire comes here again.
void Conversation::watch_expiry() noexcept {
  event::Reactor* const timers = host_.timers();
  if (timers == nullptr) return;
  const std::lock_guard mutex(expiry_mutex_);
  Deadline when;
  {
    const std::lock_guard guard(lock_);
    when = expiry_watched_;
  }
  if (when.is_never() || (expiry_keeps_ && !timers->cancel(expiry_))) return;
  if (!expiry_keeps_) expiry_keeps_ = host_.share();
  timers->arm(expiry_, when);
}

// Another request with a limit may come meanwhile.
void Conversation::end_limit() noexcept {
  {
    const std::lock_guard guard(lock_);
    if (--limited_count_ != 0) return;
  }
  event::Reactor* const timers = host_.timers();
  if (timers == nullptr) return;
  std::shared_ptr<Conversation> kept;  // let go without the mutex
  const std::lock_guard mutex(expiry_mutex_);
  {
    const std::lock_guard guard(lock_);
    if (limited_count_ != 0) return;
    expiry_watched_ = Deadline::never();
  }
  if (expiry_keeps_ && timers->cancel(expiry_)) kept = std::move(expiry_keeps_);
}

void Conversation::expiry_fired() noexcept {
  std::shared_ptr<Conversation> kept;
  {
    const std::lock_guard guard(expiry_mutex_);
    kept = std::move(expiry_keeps_);
  }
  cancel_expired(core_.clock().now());
}

void Conversation::defer(PendingReply& upcall, DeferredReply& later) noexcept {
  take_place(upcall, later);
  if (later.time_limited()) [[unlikely]]
    limit_time_of(later);
}

void Conversation::take_place(PendingReply& upcall, DeferredReply& later) noexcept {
  const std::lock_guard guard(lock_);
  AdmittedRequest& before = upcall;
  AdmittedRequest& after = later;
  after.previous_ = before.previous_;
  after.next_ = before.next_;
  (after.previous_ != nullptr ? after.previous_->next_ : pending_) = &after;
  if (after.next_ != nullptr) after.next_->previous_ = &after;
  const bool cancelled = before.cancelled_.load(std::memory_order_relaxed);
  if (cancelled) after.cancel();
  if (cancelled || deferred_cancelled_)
    (void)after.cancellation()->cancel();  // no token is out yet
  ++deferred_count_;
  if (is_full()) full_.store(true, std::memory_order_release);
}

void Conversation::end_deferred(DeferredReply& request, const LatencyTimer& timer) noexcept {
  count(request, timer);
  core_.end_request();
  const Removed removed = remove(request, Answering::later);
  if (!static_cast<AdmittedRequest&>(request).stop_at_.is_never()) [[unlikely]]
    end_limit();
  if (removed.resumes) host_.resume_reading();
  host_.deferred_ended(removed.last ? ConversationHost::Drained::yes
                                    : ConversationHost::Drained::no);
}

bool Conversation::is_full() const noexcept {
  return deferred_count_ != 0 && pending_count_ >= core_.settings().requests_per_connection_max;
}

// Whoever has a slow peer wants to know why so little of it is asked for.
bool Conversation::has_to_wait(IncomingMessage& message) noexcept {
  message.arrived = core_.clock().now();
  if (has_told_of_waiting_.exchange(true)) return true;
  try {
    log::write(log::Level::info, "server",
               std::string(host_.transport().peer()) + " has " +
                   std::to_string(core_.settings().requests_per_connection_max) +
                   " requests in progress: more of them wait (-ORBRequestsPerConnectionMax)");
  } catch (const std::exception& exception) {  // no memory for the line
    log::write(log::Level::warning, "server", exception.what());
  }
  return true;
}

[[gnu::always_inline]] inline Conversation::Admission Conversation::admit(PendingReply& request) {
  const std::lock_guard guard(lock_);
  if (draining_) return Admission::draining;
  if (pending_count_ >= core_.settings().requests_per_connection_max) return Admission::too_many;
  if (!core_.admit_request()) return Admission::too_many_in_all;
  ++pending_count_;
  request.next_ = pending_;
  if (pending_ != nullptr) pending_->previous_ = &request;
  pending_ = &request;
  if (deferred_count_ != 0 && is_full()) [[unlikely]]
    full_.store(true, std::memory_order_release);
  return Admission::admitted;
}

void Conversation::finish(PendingReply& request) noexcept {
  if (request.deferred()) return;
  core_.end_request();
  const Removed removed = remove(request, Answering::in_upcall);
  if (removed.last) send_close();
  if (removed.resumes) [[unlikely]]
    host_.resume_reading();
}

[[gnu::always_inline]] inline Conversation::Removed Conversation::remove(
    AdmittedRequest& request, Answering answering) noexcept {
  const std::lock_guard guard(lock_);
  --pending_count_;
  if (answering == Answering::later) --deferred_count_;
  (request.previous_ != nullptr ? request.previous_->next_ : pending_) = request.next_;
  if (request.next_ != nullptr) request.next_->previous_ = request.previous_;
  Removed removed;
  if (full_.load(std::memory_order_relaxed) && !is_full()) [[unlikely]] {
    full_.store(false, std::memory_order_release);
    removed.resumes = true;
  }
  removed.last = draining_ && pending_count_ == 0 && !closed_;
  if (removed.last) closed_ = true;
  return removed;
}

void Conversation::drain() {
  if (core_.cancels()) cancel_deferred();
  {
    const std::lock_guard guard(lock_);
    if (draining_) return;
    draining_ = true;
    if (pending_count_ != 0) return;
    closed_ = true;
  }
  send_close();
}

bool Conversation::drain_if_idle() {
  {
    const std::lock_guard guard(lock_);
    if (draining_ || pending_count_ != 0 || holds()) return false;
    draining_ = closed_ = true;
  }
  send_close();
  return true;
}

bool Conversation::begin_hold(std::size_t octets) noexcept {
  if (!core_.admit_held(octets)) return false;
  held_count_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void Conversation::end_hold(std::size_t octets) noexcept {
  core_.end_held(octets);
  held_count_.fetch_sub(1, std::memory_order_release);
}

// By the thread that found that nothing is in progress: so nobody else is sending a reply.
void Conversation::send_close() noexcept {
  try {
    cdr::Buffer buffer;
    cdr::Encoder encoder(buffer);
    session_.encode_close_connection(encoder, session_.protocol().version_max());
    host_.send_without_waiting(buffer);  // whoever stops the server waits for no peer here
  } catch (...) {
    log::write(log::Level::error, "server", "CloseConnection could not be sent");
  }
  host_.end_output();
}

bool Conversation::busy() const {
  const std::lock_guard guard(lock_);
  return pending_count_ != 0;
}

bool Conversation::closed() const {
  const std::lock_guard guard(lock_);
  return closed_;
}

}  // namespace perigee::orb
