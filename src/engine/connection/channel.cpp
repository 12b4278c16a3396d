// How the thread with the read role reads messages.
#include "engine/connection/channel.h"

#include "engine/connection/message_trace.h"
#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace perigee::engine {

using transport::Wait;

namespace {

bool carries_datagrams(const transport::Transport& transport) noexcept {
  return transport.carrier().shape == messaging::Shape::datagrams;
}

Inbox make_inbox(messaging::Session& session, bool datagrams, messaging::Role role,
                 const TrafficLedger* ledger) noexcept {
  if (datagrams) return {session, role};
  if (ledger == nullptr) return Inbox(session);
  return Inbox(session, ledger->storage, ledger->sequences);
}

std::string_view text_of(Eviction reason) noexcept {
  switch (reason) {
    case Eviction::slow:
      return " sends a message more slowly than -ORBPace demands";
    case Eviction::memory:
      return " sends a message for which -ORBUnfinishedSizeMax leaves no memory";
    case Eviction::unread:
      break;
  }
  return " does not read its messages, and the memory of -ORBUnsentSizeMax is used up";
}

}  // namespace

Channel::Channel(std::unique_ptr<transport::Transport> transport,
                 const messaging::MessagingProtocol& protocol, messaging::Role role,
                 ChannelLimits limits, TrafficLedger* ledger)
    : transport_(std::move(transport)),
      session_(protocol.open(role, transport_->carrier())),
      datagrams_(carries_datagrams(*transport_)),
      fragment_size_(protocol.limits().fragment_size),
      inbox_(make_inbox(*session_, datagrams_, role, ledger)),
      limits_(limits),
      polls_busily_(limits.busy_poll.count() != 0 && !transport_->features().spins),
      receives_specially_(polls_busily_ || transport_->features().owes_output),
      traced_(tracing_messages()),
      links_(session_->reads_landed() && !session_->seals() ? transport_->links() : nullptr),
      encodes_in_place_(transport_->features().encodes_in_place && !session_->seals()),
      sends_specially_(traced_ || encodes_in_place_),
      traffic_(ledger),
      sealer_(*session_, *transport_),
      queue_(*transport_,
             {limits.write_queue_size_max, limits.send_timeout, !datagrams_,
              ledger != nullptr ? &ledger->storage : nullptr},
             traffic_.sent, session_->seals() ? &sealer_ : nullptr, *limits.clock),
      unfinished_(ledger != nullptr ? ledger->unfinished : nullptr, *this) {
  if (links_ != nullptr) inbox_.accept_links(*links_);
  if (traced_) trace_connection(peer(), "opened");
}

Channel::~Channel() {
  leave_flusher();
  if (traced_) trace_connection(peer(), "ended");
}

ReadStatus Channel::read(messaging::IncomingMessage& message, Wait wait, Deadline deadline) {
  if (!read_buffer_)
    read_buffer_ = std::make_unique_for_overwrite<std::byte[]>(limits_.read_buffer_size);
  return read_message(message, wait, {read_buffer_.get(), limits_.read_buffer_size}, deadline);
}

ReadStatus Channel::read(messaging::IncomingMessage& message, Wait wait, MutableOctetSpan scratch) {
  return read_message(message, wait, scratch, Deadline::never());
}

bool Channel::set_receive_timeout(std::chrono::microseconds timeout) {
  receive_timeout_ = set_timeout_ = timeout;
  receive_limited_ = false;
  return transport_->set_receive_timeout(timeout).ok();
}

// Limits the next receive to the deadline. False if the deadline has passed. Without a deadline,
// restores the connection's own time-out. A time-out that is at most 1/64 too long stays, and a new
// one is set 1/128 too long. So calls with equal limits need no system call to set it.
bool Channel::limit_receive(Deadline deadline) {
  if (deadline.is_never()) {
    (void)set_receive_timeout(receive_timeout_);
    return true;
  }
  const TimePoint now = limits_.clock->now();
  if (deadline.passed(now)) return false;
  const auto left = std::chrono::ceil<std::chrono::microseconds>(deadline.left(now));
  receive_limited_ = receive_timeout_.count() == 0 || left < receive_timeout_;
  if (receive_limited_ && set_timeout_ >= left && set_timeout_ <= left + left / 64) return true;
  set_timeout_ = receive_limited_ ? left + left / 128 : receive_timeout_;
  (void)transport_->set_receive_timeout(set_timeout_);
  return true;
}

[[gnu::always_inline]] inline IoResult Channel::receive_once(const ReceiveSpace& space, Wait wait) {
  if (space.rest.empty() || !transport_->features().scatters) [[likely]]
    return transport_->receive(space.first, wait);
  return transport_->receive_scattered(space.first, space.rest, wait);
}

[[gnu::noinline]] IoResult Channel::receive_polling(const ReceiveSpace& space) {
  const TimePoint end = steady_clock().now() + limits_.busy_poll;
  do {
    const IoResult result = receive_once(space, Wait::no);
    if (result.status != IoStatus::would_block) return result;
  } while (steady_clock().now() < end);
  return receive_once(space, Wait::yes);
}

// The transport may have output of its own to send (see `owes_output`), and the peer may send
// nothing before it gets this output. So it is sent before a receive that waits, and after each
// receive.
[[gnu::noinline]] IoResult Channel::receive_specially(const ReceiveSpace& space, Wait wait) {
  const bool may_have_output = transport_->features().owes_output;
  if (may_have_output && wait == Wait::yes) send_transport_output();
  const bool polls = wait == Wait::yes && polls_busily_;
  const IoResult result = polls ? receive_polling(space) : receive_once(space, wait);
  if (may_have_output) send_transport_output();
  return result;
}

void Channel::send_transport_output() {
  if (!transport_->has_output()) return;
  (void)queue_.send_transport_output();
  after_others();
}

[[gnu::always_inline]] inline IoResult Channel::receive(const ReceiveSpace& space, Wait wait) {
  if (receives_specially_) [[unlikely]]
    return receive_specially(space, wait);
  return receive_once(space, wait);
}

[[gnu::always_inline]] inline InboxStatus Channel::take_next(messaging::IncomingMessage& message) {
  const auto next = inbox_.next(message);
  if (next != InboxStatus::message) return next;
  traffic_.messages_received.add(1);
  if (unfinished_.under_way()) [[unlikely]]
    end_growth();
  if (traced_) trace_received(*session_, message, peer());
  return next;
}

bool Channel::take_at_hand(messaging::IncomingMessage& message) {
  return inbox_.has_octets() && take_next(message) == InboxStatus::message;
}

// Whether a receive with Wait::no has taken all octets, as a short receive does: edge-triggered
// readiness will report the octets that arrive from now on.
[[gnu::always_inline]] inline bool Channel::took_all(std::size_t count, std::size_t room) noexcept {
  turn_left_ -= std::min(turn_left_, count);
  return count < room && !reads_until_empty_ &&
         !(transport_->features().buffers && transport_->buffered());
}

ReadStatus Channel::without_octets(const IoResult& result) noexcept {
  switch (result.status) {
    case IoStatus::would_block:
      return ReadStatus::would_block;
    case IoStatus::timed_out:
      return ReadStatus::timed_out;
    case IoStatus::end_of_stream:
      return ReadStatus::end_of_stream;
    case IoStatus::ok:
    case IoStatus::failed:
      break;
  }
  receive_error_.store(result.code);
  return ReadStatus::failed;
}

ReadStatus Channel::read_message(messaging::IncomingMessage& message, Wait wait,
                                 MutableOctetSpan scratch, Deadline deadline) {
  for (;;) {
    if (inbox_.has_octets()) {
      switch (take_next(message)) {
        case InboxStatus::message:
          return ReadStatus::message;
        case InboxStatus::error:
          return ReadStatus::bad_message;
        case InboxStatus::need_more:
          if (datagrams_) traffic_.datagrams_dropped.add(1);
          if (const Refusal refusal = refuse_growth(wait, deadline)) return *refusal;
          break;
      }
    }
    if (wait == Wait::no) {
      if (std::exchange(drained_, false)) return ReadStatus::would_block;
      if (turn_left_ == 0) [[unlikely]]
        return ReadStatus::turn_over;
    }
    if (!deadline.is_never() || receive_limited_) [[unlikely]]
      if (!limit_receive(deadline)) return ReadStatus::timed_out;
    ReceiveSpace space = inbox_.receive_space(scratch);
    // The storage of a large message has room for the whole message. Other connections get their
    // turn before the whole message has arrived.
    if (wait == Wait::no && space.first.size() > turn_left_ && !datagrams_) [[unlikely]]
      space = {space.first.first(turn_left_), {}};
    const IoResult result = receive(space, wait);
    if (!result.ok()) [[unlikely]] {
      const bool looks_again = !deadline.is_never() && receive_limited_;
      if (result.status == IoStatus::timed_out && looks_again) continue;
      return without_octets(result);
    }
    traffic_.octets_received.add(result.count);
    inbox_.received(result.count);
    drained_ = wait == Wait::no && took_all(result.count, space.first.size());
  }
}

IoResult Channel::drop_octets(std::span<std::byte> scratch, Wait wait) {
  const IoResult result = transport_->receive(scratch, wait);
  if (result.ok()) traffic_.octets_received.add(result.count);
  return result;
}

// Reports the part of a message that has arrived, if there is one. A value: the read must end.
Channel::Refusal Channel::refuse_growth(Wait wait, Deadline deadline) noexcept {
  if (unfinished_.is_evicted()) return ReadStatus::failed;
  const messaging::Unfinished unfinished = inbox_.unfinished();
  if (unfinished.octets == 0) return std::nullopt;
  if (wait == Wait::yes) return await_room(unfinished, deadline);
  if (paused_reader_ == nullptr) {
    unfinished_.grow_anyway(unfinished);
    return std::nullopt;
  }
  if (unfinished_.grow(unfinished)) return std::nullopt;
  return ReadStatus::would_block;
}

Channel::Refusal Channel::await_room(const messaging::Unfinished& unfinished,
                                     Deadline deadline) noexcept {
  constexpr std::chrono::milliseconds look_around{100};  // the connection may fail meanwhile
  while (!unfinished_.grow(unfinished)) {
    unfinished_.await_room(look_around);
    if (unfinished_.is_evicted() || broken()) return ReadStatus::failed;
    if (deadline.passed(limits_.clock->now())) return ReadStatus::timed_out;
  }
  return std::nullopt;
}

// The time of the next message begins anew. The time of an unfinished message in fragments goes on.
void Channel::end_growth() noexcept {
  if (!inbox_.unfinished().more_follows) unfinished_.end();
}

bool Channel::has_unread_input() const noexcept { return broken() || transport_->holds_input(); }

WaitingOutput Channel::waiting_output() const noexcept {
  return {static_cast<std::uint64_t>(std::max<std::int64_t>(traffic_.sent.queued.value(), 0)),
          drained_octets()};
}

// It does no harm if MessageError does not arrive.
void Channel::evict(Eviction reason) noexcept {
  try {
    log::write(log::Level::info, "orb",
               peer() + std::string(text_of(reason)) + ": the connection is closed");
    if (reason != Eviction::unread) {
      cdr::Buffer buffer;
      cdr::Encoder encoder(buffer);
      session_->encode_message_error(encoder, session_->protocol().version_max());
      (void)send(buffer, Wait::no);
    }
  } catch (const std::exception& exception) {  // bad_alloc: no MessageError is sent
    log::write(log::Level::warning, "orb", exception.what());
  }
  close();
  resume_input();  // a paused reader finds the end
}

void Channel::resume_input() noexcept {
  if (paused_reader_ != nullptr) paused_reader_->resume_reading();
}

}  // namespace perigee::engine
