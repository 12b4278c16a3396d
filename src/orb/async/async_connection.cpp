// Sending, reading, and what becomes of calls when a connection is lost.
#include "orb/async/async_connection.h"

#include "engine/client/connects.h"
#include "orb/async/async_invocation.h"
#include "orb/async/shard.h"
#include "orb/context/orb_context.h"
#include "orb/context/orb_metrics.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <limits>
#include <new>
#include <utility>

namespace perigee::orb {

using engine::ChannelLimits;
using engine::ReadStatus;
using engine::SendResult;
using engine::SendStatus;
using event::Readiness;
using messaging::MessageKind;
using transport::Wait;

namespace {

constexpr std::size_t batched_message_size_max = 8 * 1024;  // larger ones are not worth the copy
constexpr std::size_t batch_size_max = 64 * 1024;
constexpr std::uint64_t never_sent = std::numeric_limits<std::uint64_t>::max();

AsyncInvocation* invocation_of(engine::OutboundCall* call) noexcept {
  return static_cast<AsyncInvocation*>(call);
}

}  // namespace

AsyncConnection::AsyncConnection(Shard& shard, std::shared_ptr<ClientEndpoint> endpoint)
    : shard_(shard),
      endpoint_(std::move(endpoint)),
      calls_(messaging::Role::opener, shard.context().settings.requests_in_flight_max) {}

AsyncConnection::~AsyncConnection() = default;

bool AsyncConnection::has_room() const noexcept {
  return state_ != State::closed && calls_.has_room() &&
         (state_ == State::connecting || !connection_->broken());
}

// --- Connecting ---

void AsyncConnection::connect(Deadline until) {
  connecting_until_ = until;
  shard_.connecting().connect({endpoint_->connector(), endpoint_->endpoint(), until,
                               [self = shared_from_this()](engine::Connects::Made made) noexcept {
                                 self->made_ = std::move(made);
                                 self->kept_ = self;
                                 self->shard_.submit(*self);
                               }});
}

void AsyncConnection::connected() noexcept {
  const std::shared_ptr<AsyncConnection> self = std::move(kept_);
  made(std::move(made_));
}

void AsyncConnection::made(Made transport) noexcept {
  if (state_ != State::connecting) return;
  if (!transport) return connect_failed(transport.error());
  try {
    if (!open(std::move(*transport))) return;
    flush();
  } catch (const std::exception& exception) {  // bad_alloc
    log::write(log::Level::error, "orb", exception.what());
    lose(FailureCause::transfer);
  }
}

bool AsyncConnection::open(std::unique_ptr<transport::Transport> transport) {
  const Settings& settings = shard_.context().settings;
  connection_.emplace(std::move(transport), endpoint_->messaging(), messaging::Role::opener,
                      ChannelLimits{settings.read_buffer_size, settings.write_queue_size_max},
                      &shard_.context().metrics.client_traffic);
  measuring_session_.reset();
  const auto added = shard_.reactor().add(connection_->transport().readiness_fd(), *this);
  if (added) {
    state_ = State::open;
    return true;
  }
  connection_.reset();
  connect_failed(added.error());
  return false;
}

void AsyncConnection::connect_failed(const IoError& error) noexcept {
  const auto self = shared_from_this();
  state_ = State::closed;
  shard_.forget(*this);
  calls_.close();
  while (AsyncInvocation* const call = invocation_of(calls_.take_any())) {
    call->connection = nullptr;
    call->waiting_size = 0;
    call->connect_failed(error, connecting_until_);
  }
}

void AsyncConnection::connect_timed_out(AsyncInvocation& call) noexcept {
  remove_unsent(call);
  try {
    call.connect_failed(shard_.connecting().timed_out(endpoint_->endpoint()), Deadline::never());
  } catch (const std::exception& exception) {  // bad_alloc
    log::write(log::Level::error, "orb", exception.what());
    call.refused(FailureCause::no_memory);
  }
}

// --- Sending ---

void AsyncConnection::submit(AsyncInvocation& call) noexcept {
  ++submitted_;
  call.expects_reply = !call.oneway();
  call.position = never_sent;
  if (calls_.submit(call) != engine::OutboundCalls::Status::ok)
    return call.refused(FailureCause::too_many_calls);
  call.connection = this;
  if (state_ == State::connecting || !connection_->idle_output()) return bound(call);
  try {
    if (!shard_.in_turn()) return flush();
    if (!flush_scheduled_) shard_.flush_later(shared_from_this());
    flush_scheduled_ = true;
  } catch (const std::exception& exception) {  // bad_alloc: the call may go on elsewhere
    log::write(log::Level::error, "orb", exception.what());
    lose(FailureCause::transfer);
  }
}

// What waits for longer than this turn is measured. Encoded for nothing, but not copied. However
// large it is: the limit is for what others put behind it.
void AsyncConnection::bound(AsyncInvocation& call) noexcept {
  call.waiting_size = 0;
  if (!encode(call)) return;
  call.waiting_size = shard_.request_buffer().size();
  unsent_size_ += call.waiting_size;
  if (unsent_size_ <= shard_.context().settings.write_queue_size_max) return;
  if (unsent_size_ == call.waiting_size) return;
  remove_unsent(call);
  call.refused(FailureCause::too_many_calls);
}

void AsyncConnection::remove_unsent(AsyncInvocation& call) noexcept {
  (void)calls_.withdraw(call);
  unsent_size_ -= std::exchange(call.waiting_size, 0);
  call.connection = nullptr;
}

void AsyncConnection::flush_at_end_of_turn() noexcept {
  flush_scheduled_ = false;
  if (state_ != State::open) return;
  try {
    flush();
  } catch (const std::exception& exception) {  // bad_alloc
    log::write(log::Level::error, "orb", exception.what());
    lose(FailureCause::transfer);
  }
}

// A connection opens its session when it is made. Until then, a session for a stream of octets
// measures the requests that wait; each is encoded again for the connection's own session.
const messaging::Session& AsyncConnection::session() {
  if (connection_) return connection_->session();
  if (!measuring_session_)
    measuring_session_ = endpoint_->messaging().open(messaging::Role::opener, {});
  return *measuring_session_;
}

// False if it cannot be done: then the call is told, and waits no longer.
bool AsyncConnection::encode(AsyncInvocation& call) noexcept {
  try {
    call.id = calls_.next_id();
    if (call.encode(session(), shard_.request_buffer(), call.id, !answered_)) return true;
    remove_unsent(call);
    call.encode_failed();
  } catch (const std::exception& exception) {  // bad_alloc: others go on
    log::write(log::Level::error, "orb", exception.what());
    remove_unsent(call);
    call.refused(FailureCause::no_memory);
  }
  return false;
}

void AsyncConnection::flush() {
  while (connection_->open_output() && !connection_->broken()) {
    AsyncInvocation* const call = invocation_of(calls_.first_unsent());
    if (call == nullptr) break;
    if (encode(*call)) put(*call);
  }
  if (connection_->held_output() == 0) return;
  if (connection_->uncork()) tell_oneways();
  after_send();
  watch_first_reply();
}

// Behind calls that leave together with it, or by itself.
void AsyncConnection::put(AsyncInvocation& call) {
  const cdr::Buffer& message = shard_.request_buffer();
  const bool joins = message.size() <= batched_message_size_max &&
                     (connection_->held_output() != 0 || calls_.unsent() > 1);
  unsent_size_ -= std::exchange(call.waiting_size, 0);
  if (!answered_) call.sent_at = shard_.context().clock.now();
  (void)calls_.depart(call);  // an unsent call is never refused
  const SendResult result =
      joins ? connection_->hold(message, {.count = 0, .octets = batch_size_max}, Wait::no)
            : connection_->send(message, Wait::no);
  const bool sent = result.status < SendStatus::failed;
  if (sent) call.position = result.position;
  if (call.expects_reply) calls_.sent(call);
  if (connection_->held_output() != 0) return;
  if (sent) tell_oneways();
  after_send();
  watch_first_reply();
}

// Those of a send that failed are told when the connection is lost.
void AsyncConnection::tell_oneways() noexcept {
  while (AsyncInvocation* const call = invocation_of(calls_.take_oneway())) {
    call->connection = nullptr;
    call->oneway_sent();
  }
}

// What the peer had sent before it closed says more than a send that failed: that is read first, in
// a turn, since observers will be told.
void AsyncConnection::after_send() noexcept {
  if (connection_->broken()) return shard_.reactor().mark_ready(*this);
  shard_.reactor().want_writable(
      *this, connection_->idle_output() ? event::WriteInterest::off : event::WriteInterest::on);
}

// A mute peer would hang its callers.
void AsyncConnection::watch_first_reply() {
  const auto limit = shard_.context().settings.first_reply_timeout;
  if (answered_ || limit <= std::chrono::milliseconds::zero()) return;
  const AsyncInvocation* const first = invocation_of(calls_.first_in_table());
  if (first == nullptr || first_reply_watched_) return;
  shard_.reactor().arm(first_reply_, Deadline::after(limit, first->sent_at));
  first_reply_watched_ = true;
}

// Others than those that it was set for may be in flight by now: each has its time.
void AsyncConnection::look_for_first_reply() {
  first_reply_watched_ = false;
  const AsyncInvocation* const first = invocation_of(calls_.first_in_table());
  if (answered_ || first == nullptr) return;
  const Duration muteness = shard_.context().clock.now() - first->sent_at;
  if (muteness >= shard_.context().settings.first_reply_timeout)
    lose(FailureCause::timed_out);
  else
    watch_first_reply();
}

bool AsyncConnection::abandon(AsyncInvocation& call) noexcept {
  if (!call.has_departed()) {
    remove_unsent(call);
    return false;
  }
  (void)calls_.withdraw(call);
  call.connection = nullptr;
  if (call.oneway()) return accepted(call);  // its send has failed: the connection will be lost
  // Octets that the transport has not taken yet still leave, unless there was an error.
  if (connection_->broken()) return accepted(call);
  try {
    send_cancel_request(call);
  } catch (const std::exception& exception) {  // bad_alloc
    log::write(log::Level::error, "orb", exception.what());
    lose(FailureCause::transfer);
  }
  return true;
}

void AsyncConnection::send_cancel_request(const AsyncInvocation& call) {
  cdr::Buffer& buffer = shard_.request_buffer();
  buffer.clear();
  cdr::Encoder encoder(buffer);
  connection_->session().encode_cancel_request(encoder, call.target().version, call.id);
  if (encoder.ok()) (void)connection_->send(buffer, Wait::no);
  after_send();
}

bool AsyncConnection::accepted(const AsyncInvocation& call) const noexcept {
  return call.position != never_sent && connection_ && connection_->sent(call.position);
}

// --- Reading ---

void AsyncConnection::handle_ready(Readiness readiness) noexcept {
  const auto self = shared_from_this();
  if (state_ != State::open) return;
  try {
    if (has(readiness, Readiness::peer_closed) || has(readiness, Readiness::error))
      connection_->expect_end();
    if (has(readiness, Readiness::readable)) connection_->expect_octets();
    if (has(readiness, Readiness::writable)) (void)connection_->flush();
    read_messages();
    if (state_ != State::open) return;
    if (connection_->broken()) return lose(FailureCause::transfer);
    if (has(readiness, Readiness::writable)) {
      flush();
      after_send();
    }
  } catch (const std::exception& exception) {  // bad_alloc: this connection ends, others go on
    log::write(log::Level::error, "orb", exception.what());
    lose(FailureCause::transfer);
  }
}

// Observers may run nested turns, which go on with what has been received: until it is done, the
// connection stays marked, since no edge will come for it.
void AsyncConnection::read_messages() {
  const Shard::ReadLevel level(shard_);
  struct Reading {
    std::uint32_t& levels;
    explicit Reading(std::uint32_t& count) : levels(count) { ++levels; }
    ~Reading() { --levels; }
  };
  if (reading_ != 0) connection_->detach_scratch();
  const Reading reading(reading_);
  connection_->begin_turn(shard_.context().settings.octets_per_turn_max);
  std::uint32_t left = shard_.context().settings.messages_per_turn_max;
  while (left > 0 && read_message(level->contexts, level->scratch)) --left;
  if (state_ != State::open) return;
  if (connection_->has_octets()) connection_->detach_scratch();
  if (left == 0) shard_.reactor().mark_ready(*this);
}

// Whether there may be more to read in this turn.
bool AsyncConnection::read_message(messaging::ContextStorage& contexts, MutableOctetSpan scratch) {
  messaging::IncomingMessage message;
  switch (connection_->read(message, Wait::no, scratch)) {
    case ReadStatus::message:
      if (connection_->has_octets())
        shard_.reactor().mark_ready(*this);
      else
        shard_.reactor().unmark(*this);
      take(message, contexts);
      return state_ == State::open;
    case ReadStatus::would_block:
    case ReadStatus::timed_out:
      shard_.reactor().unmark(*this);
      return false;
    case ReadStatus::turn_over:
      shard_.reactor().mark_ready(*this);
      return false;
    case ReadStatus::bad_message:
      framing_ = connection_->framing_error();
      lose(FailureCause::bad_message);
      return false;
    case ReadStatus::end_of_stream:
    case ReadStatus::failed:
      lose(FailureCause::transfer);
      return false;
  }
  return false;
}

void AsyncConnection::take(messaging::IncomingMessage& message,
                           messaging::ContextStorage& contexts) {
  switch (message.kind) {
    case MessageKind::reply:
      answered_ = true;
      return take_reply(message, contexts);
    case MessageKind::close_connection:
      return lose(FailureCause::closed_by_peer);
    case MessageKind::message_error:
      return lose(FailureCause::message_error);
    case MessageKind::locate_reply:
      return;  // nobody waits for one
    case MessageKind::request:
    case MessageKind::cancel_request:
    case MessageKind::locate_request:
      break;  // not ours to serve: this connection is one-way
  }
  framing_ = messaging::FramingError::bad_type;
  lose(FailureCause::bad_message);
}

// Late replies are dropped (interop fact 18).
void AsyncConnection::take_reply(messaging::IncomingMessage& message,
                                 messaging::ContextStorage& contexts) {
  const auto reply = connection_->session().parse_reply(message, contexts);
  if (!reply) {
    if (connection_->drop_datagram()) return;
    framing_ = reply.error();
    return lose(FailureCause::bad_message);
  }
  AsyncInvocation* const call = invocation_of(calls_.take(reply->header.request_id));
  if (call == nullptr) return;
  call->connection = nullptr;
  call->answered(reply->header.status, reply->body);
}

// --- The end ---

// Calls in other connections' lists may begin here again, but not in this one.
void AsyncConnection::lose(FailureCause cause) noexcept {
  if (state_ == State::closed) return;
  const auto self = shared_from_this();
  const State before = std::exchange(state_, State::closed);
  shard_.forget(*this);
  shard_.reactor().cancel(first_reply_);
  calls_.close();
  unsent_size_ = 0;
  if (before == State::open) {
    shard_.reactor().remove(*this);
    connection_->close();
  }
  while (AsyncInvocation* const call = invocation_of(calls_.take_any())) {
    const bool cut =
        cause == FailureCause::closed_by_peer && connection_->has_part_of_reply(call->id);
    fail(*call, cut ? FailureCause::reply_cut : cause, accepted(*call));
  }
}

void AsyncConnection::fail(AsyncInvocation& call, FailureCause cause,
                           bool request_accepted) noexcept {
  call.connection = nullptr;
  call.waiting_size = 0;
  InvocationError error;
  try {
    error.endpoint = connection_ ? connection_->peer() : to_string(endpoint_->endpoint());
    error.io.endpoint = error.endpoint;
  } catch (const std::bad_alloc&) {  // it is told without a name
  }
  error.framing = framing_;
  error.io.operation = request_accepted ? IoOperation::receive : IoOperation::send;
  error.io.code = connection_ ? connection_->error_code() : 0;
  error.io.kind = error.io.code != 0 ? IoErrorKind::system : IoErrorKind::end_of_stream;
  const auto stage = request_accepted ? InvocationStage::awaiting : InvocationStage::sending;
  call.request_failed({cause, stage, request_accepted}, std::move(error), answered_);
}

// Nothing is in flight, and nothing was for a time.
void AsyncConnection::close_if_idle(TimePoint now) noexcept {
  if (state_ != State::open || calls_.listed() != 0) return;
  const auto limit = shard_.context().settings.client_idle_timeout;
  if (idle_.lasted(submitted_, now, limit)) lose(FailureCause::transfer);
}

}  // namespace perigee::orb
