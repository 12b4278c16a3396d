// Sending: the messages that go to the outgoing queue, and the end of the output.
#include "engine/connection/channel.h"
#include "engine/connection/message_trace.h"
#include "engine/connection/stand_still.h"
#include <perigee/base/log.h>

#include <array>
#include <chrono>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace perigee::engine {

using transport::Wait;

namespace {

constexpr std::chrono::milliseconds look_around_period{100};  // the connection may end meanwhile
// A message is not made in place if the transport has fewer free octets than this. Most messages
// are smaller.
constexpr std::size_t place_size_min = 1024;

/// Sends a message, or holds it back if `hold` is not null.
[[gnu::always_inline]] inline Sent pass_to(OutgoingQueue& queue, OutgoingQueue::Segments message,
                                           const Hold* hold, Wait wait, Deadline deadline) {
  return hold == nullptr ? queue.send(message, wait, deadline)
                         : queue.hold(message, *hold, wait, deadline);
}

}  // namespace

// Without memory for the seal, the message would leave unsealed. The peer could not read it, so the
// connection is interrupted.
void Channel::SessionSealer::seal(std::vector<OctetSpan>& segments, Octets& memory) noexcept {
  try {
    outgoing_.segments.swap(segments);
    outgoing_.sealed.swap(memory);
    session_.seal(outgoing_);
  } catch (...) {
    transport_.interrupt();
  }
  outgoing_.segments.swap(segments);
  outgoing_.sealed.swap(memory);
}

// Most messages are one segment: they have no borrowed octets, and need no fragments.
[[gnu::always_inline]] inline bool Channel::is_one_segment(const cdr::Buffer& message) const {
  return message.borrowed().empty() && message.size() <= fragment_size_;
}

[[gnu::always_inline]] inline SendResult Channel::after_send(Sent sent) {
  call_flusher();
  if (sent.status == Sent::Status::sent) [[likely]]
    return {SendStatus::sent};
  if (sent.status == Sent::Status::queued) {
    traffic_.note_queued();
    return {SendStatus::queued, sent.ticket};
  }
  return after_refusal(sent);
}

SendResult Channel::send(const cdr::Buffer& message, Wait wait, Deadline deadline) {
  if (sends_specially_) [[unlikely]] {
    trace_message(message);
    if (is_made_in_place(message) && is_one_segment(message))
      return send_from_place(wait, deadline);
    if (!leave_place(message)) return after_refusal({Sent::Status::no_memory});
  }
  if (!is_one_segment(message)) [[unlikely]]
    return after_send(send_gathered(message, nullptr, wait, deadline));
  const OctetSpan octets = message.own_octets();
  return after_send(queue_.send({&octets, 1}, wait, deadline));
}

SendResult Channel::try_send(const cdr::Buffer& message, const Hold* hold) {
  if (sends_specially_) [[unlikely]] {
    trace_message(message);
    if (!leave_place(message)) return {SendStatus::refused};
  }
  const OctetSpan octets = message.own_octets();
  const Sent sent = is_one_segment(message) ? pass_to(queue_, {&octets, 1}, hold, Wait::no, {})
                                            : send_gathered(message, hold, Wait::no, {});
  if (sent.status == Sent::Status::full || sent.status == Sent::Status::no_memory)
    return {SendStatus::refused};
  return after_send(sent);
}

SendResult Channel::hold(const cdr::Buffer& message, const Hold& hold, Wait wait,
                         Deadline deadline) {
  if (sends_specially_) [[unlikely]] {
    trace_message(message);
    if (!leave_place(message)) return after_refusal({Sent::Status::no_memory});
  }
  if (!is_one_segment(message)) [[unlikely]]
    return after_send(send_gathered(message, &hold, wait, deadline));
  const OctetSpan octets = message.own_octets();
  return after_send(queue_.hold({&octets, 1}, hold, wait, deadline));
}

// Until the message is sent, is given up or leaves the place, this thread is the writing thread.
void Channel::begin_in_place(cdr::Buffer& message) noexcept {
  if (!queue_.idle()) return;
  const MutableOctetSpan place = queue_.begin_direct(place_size_min);
  if (place.empty()) return after_others();
  message.enter_place(place, *this);
  made_in_place_.store(&message, std::memory_order_relaxed);
}

void Channel::end_in_place(const cdr::Buffer& message) noexcept {
  if (!is_made_in_place(message)) return;
  made_in_place_.load(std::memory_order_relaxed)->leave_place();
  place_left();
}

void Channel::place_left() noexcept {
  made_in_place_.store(nullptr, std::memory_order_relaxed);
  (void)queue_.commit_direct(0);
  after_others();
}

// Called when messages of other threads may have been sent, and the output may be blocked.
void Channel::after_others() noexcept {
  call_flusher();
  if (paused_reader_ != nullptr) paused_reader_->after_other_output();
}

SendResult Channel::send_from_place(Wait wait, Deadline deadline) {
  cdr::Buffer& message = *made_in_place_.load(std::memory_order_relaxed);
  if (wait == Wait::yes && !deadline.is_never() && deadline.passed(limits_.clock->now())) {
    end_in_place(message);
    return {SendStatus::timed_out};
  }
  made_in_place_.store(nullptr, std::memory_order_relaxed);
  const Sent sent = queue_.commit_direct(message.size());
  message.leave_place();
  return after_send(sent);
}

// False: there is no memory, and the message stays in its place.
bool Channel::move_out_of_place(const cdr::Buffer& message) noexcept {
  if (!is_made_in_place(message)) return true;
  try {
    made_in_place_.load(std::memory_order_relaxed)->move_out_of_place();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// Called if the message has borrowed octets, is cut into fragments, or is held back. False: there
// is no memory, and the message is lost.
bool Channel::leave_place(const cdr::Buffer& message) noexcept {
  if (move_out_of_place(message)) [[likely]]
    return true;
  end_in_place(message);
  return false;
}

void Channel::trace_message(const cdr::Buffer& message) const {
  if (traced_ && !broken()) trace_sent(*session_, message, peer());
}

// Empty if the octets of the message must all be sent. The last octets can be linked if they are
// borrowed; they are not copied then, even if the message waits in the queue.
std::optional<Sent> Channel::send_linked(const cdr::Buffer& message, const Hold* hold, Wait wait,
                                         Deadline deadline) {
  const std::vector<cdr::Buffer::Borrowed>& borrowed = message.borrowed();
  if (borrowed.size() != 1 || borrowed.front().own_offset != message.own_size() ||
      message.own_size() > transport::SequenceLinks::head_size_max)
    return std::nullopt;
  const std::optional<transport::Link> link = links_->lend(borrowed.front().octets);
  if (!link) return std::nullopt;
  const std::array segments{OctetSpan(std::as_bytes(std::span(&*link, 1))), message.own_octets()};
  const Sent sent = pass_to(queue_, segments, hold, wait, deadline);
  if (sent.status == Sent::Status::queued)
    links_->note_queued(*link, sent.ticket);
  else if (sent.status != Sent::Status::sent && sent.status != Sent::Status::failed)
    links_->take_back(*link);  // a failed send may have sent a part
  return sent;
}

bool Channel::withdraw(std::uint64_t position) noexcept {
  if (!queue_.withdraw(position)) return false;
  if (links_ != nullptr) links_->take_back_queued(position);
  return true;
}

// A message with borrowed octets, or in fragments.
[[gnu::noinline]] Sent Channel::send_gathered(const cdr::Buffer& message, const Hold* hold,
                                              Wait wait, Deadline deadline) {
  if (links_ != nullptr)
    if (const auto sent = send_linked(message, hold, wait, deadline)) return *sent;
  messaging::OutgoingSegments own;  // used only while another thread uses `segments_`
  const bool shared = !segments_used_.exchange(true, std::memory_order_acquire);
  messaging::OutgoingSegments& segments = shared ? segments_ : own;
  const struct Leaving {
    std::atomic<bool>* used;
    ~Leaving() {
      if (used != nullptr) used->store(false, std::memory_order_release);
    }
  } leaving{shared ? &segments_used_ : nullptr};
  segments.clear();
  try {
    session_->gather(message, segments.segments, segments.fragment_headers);
  } catch (const std::bad_alloc&) {
    return {Sent::Status::no_memory};
  }
  const bool is_held = hold != nullptr && message.size() < hold->octets;
  if (message.lender() != nullptr && wait == Wait::no && !is_held)
    return queue_.send_shared(segments.segments, *message.lender());
  return pass_to(queue_, segments.segments, hold, wait, deadline);
}

// If the deadline has passed, the connection goes on. After any other failure, it ends. A full
// queue shows that the peer does not read, and queued messages will not leave in time. A message
// that is lost for lack of memory may be a reply, for which the peer would wait for ever.
SendResult Channel::after_refusal(Sent sent) {
  if (sent.status == Sent::Status::timed_out) return {SendStatus::timed_out};
  if (sent.status == Sent::Status::failed) return {SendStatus::failed, sent.ticket};
  if (sent.status == Sent::Status::full) log_full_queue();
  close();
  if (sent.status == Sent::Status::no_memory) throw std::bad_alloc();
  return {SendStatus::failed, sent.ticket};
}

bool Channel::uncork() {
  const bool goes_on = queue_.uncork() != OutgoingQueue::Status::failed;
  call_flusher();
  return goes_on;
}

void Channel::finish_output() {
  queue_.finish();
  call_flusher();
}

// Runs on a thread of the flusher.
void Channel::flush_rest() noexcept {
  const Duration limit = limits_.send_timeout;
  StandStill progress;
  while (queue_.blocked()) {
    const bool stands_still = progress.lasted(drained_octets(), limits_.clock->now(), limit);
    if (limit > Duration::zero() && stands_still) {
      log_peer_that_does_not_read();
      close();
      break;
    }
    if (!queue_.yielded()) transport_->await_sendable(look_around_period);
    (void)queue_.flush();
  }
}

void Channel::log_peer_that_does_not_read() noexcept try {
  log::write(log::Level::warning, "orb", peer() + " does not read its messages");
} catch (const std::exception& exception) {  // no memory for the log line
  log::write(log::Level::warning, "orb", exception.what());
}

void Channel::log_full_queue() noexcept try {
  log::write(log::Level::warning, "orb",
             peer() + " does not read: " + std::to_string(queued_octets()) +
                 " octets wait for it; -ORBSendQueueSizeMax allows " +
                 std::to_string(limits_.write_queue_size_max) + ": the connection is closed");
} catch (const std::exception& exception) {  // no memory for the log line
  log::write(log::Level::warning, "orb", exception.what());
}

void Channel::call_flusher_of_blocked() noexcept try {
  limits_.flusher->start(*this);
} catch (const std::exception& exception) {  // no thread: the rest would never be sent
  log::write(log::Level::error, "orb", exception.what());
  close();
}

void Channel::leave_flusher() noexcept {
  unfinished_.leave();  // the registry may send MessageError, and so call the flusher
  if (limits_.flusher == nullptr) return;
  close();
  limits_.flusher->leave(*this);
}

void Channel::close() noexcept {
  queue_.close();
  transport_->interrupt();
}

}  // namespace perigee::engine
