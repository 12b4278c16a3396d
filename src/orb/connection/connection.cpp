// Reading under the token, and writing by one thread at a time. The states of writing are explained
// at Connection::Writing; the queue is drained by whoever holds the right to write. Writing within
// a deadline is in connection_limited.cpp.
#include "orb/connection/connection.h"

#include "orb/connection/message_trace.h"
#include <perigee/base/segments.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace perigee::orb {

using transport::Wait;

namespace {

// Octets of memory that an empty queue may keep for the next time.
constexpr std::size_t queue_memory_kept_max = 256 * 1024;

void append(Octets& destination, std::span<const OctetSpan> segments, std::size_t skip = 0) {
  for (OctetSpan segment : segments) {
    const std::size_t skipped = std::min(skip, segment.size());
    skip -= skipped;
    segment = segment.subspan(skipped);
    destination.insert(destination.end(), segment.begin(), segment.end());
  }
}

}  // namespace

Connection::Connection(std::unique_ptr<transport::Transport> transport,
                       const messaging::Protocol& protocol, ConnectionLimits limits,
                       TrafficLedger* ledger)
    : transport_(std::move(transport)),
      protocol_(protocol),
      fragment_size_(protocol.limits().fragment_size),
      reader_(protocol.make_reader()),
      limits_(limits),
      traced_(tracing_messages()),
      traffic_(ledger),
      send_limited_(limits.send_timeout != std::chrono::microseconds::zero()) {
  if (traced_) trace_connection(peer(), "opened");
}

Connection::~Connection() {
  if (traced_) trace_connection(peer(), "ended");
}

ReadStatus Connection::read(messaging::IncomingMessage& message, Wait wait,
                            const CallDeadline* deadline) {
  if (!read_buffer_)
    read_buffer_ = std::make_unique_for_overwrite<std::byte[]>(limits_.read_buffer_size);
  return read_message(message, wait, {read_buffer_.get(), limits_.read_buffer_size}, deadline);
}

ReadStatus Connection::read(messaging::IncomingMessage& message, Wait wait,
                            MutableOctetSpan scratch) {
  return read_message(message, wait, scratch, nullptr);
}

bool Connection::set_receive_timeout(std::chrono::microseconds timeout) {
  receive_timeout_ = timeout;
  receive_limited_ = false;
  return transport_->set_receive_timeout(timeout).ok();
}

// False if the deadline has passed. Without one, takes back what an earlier one has set.
bool Connection::limit_receive(const CallDeadline* deadline) {
  if (deadline == nullptr) {
    (void)set_receive_timeout(receive_timeout_);
    return true;
  }
  if (deadline->expired()) return false;
  std::chrono::microseconds timeout = deadline->socket_timeout();
  receive_limited_ = receive_timeout_.count() == 0 || timeout < receive_timeout_;
  if (!receive_limited_) timeout = receive_timeout_;
  (void)transport_->set_receive_timeout(timeout);
  return true;
}

[[gnu::noinline]] IoResult Connection::receive_polling(MutableOctetSpan space) {
  const TimePoint end = steady_clock().now() + limits_.busy_poll;
  do {
    const IoResult result = transport_->receive(space, Wait::no);
    if (result.status != IoStatus::would_block) return result;
  } while (steady_clock().now() < end);
  return transport_->receive(space, Wait::yes);
}

[[gnu::always_inline]] inline IoResult Connection::receive(MutableOctetSpan space, Wait wait) {
  if (wait == Wait::yes && limits_.busy_poll.count() != 0) [[unlikely]]
    return receive_polling(space);
  return transport_->receive(space, wait);
}

[[gnu::always_inline]] inline messaging::MessageReader::Next Connection::take_next(
    messaging::IncomingMessage& message) {
  message.more_at_hand = true;
  const auto next = reader_->next(message);
  if (next != messaging::MessageReader::Next::message) return next;
  more_at_hand_ = message.more_at_hand;
  traffic_.messages_received.add(1);
  if (traced_) trace_received(protocol_, message, peer());
  return next;
}

ReadStatus Connection::read_message(messaging::IncomingMessage& message, Wait wait,
                                    MutableOctetSpan scratch, const CallDeadline* deadline) {
  for (;;) {
    if (more_at_hand_) {
      switch (take_next(message)) {
        case messaging::MessageReader::Next::message:
          return ReadStatus::message;
        case messaging::MessageReader::Next::error:
          return ReadStatus::bad_message;
        case messaging::MessageReader::Next::need_more:
          break;
      }
    }
    if (std::exchange(drained_, false) && wait == Wait::no) return ReadStatus::would_block;
    if (turn_left_ == 0 && wait == Wait::no) [[unlikely]]
      return ReadStatus::turn_over;
    if (deadline != nullptr || receive_limited_) [[unlikely]]
      if (!limit_receive(deadline)) return ReadStatus::timed_out;
    const MutableOctetSpan space = reader_->receive_space(scratch);
    const IoResult result = receive(space, wait);
    switch (result.status) {
      case IoStatus::ok:
        break;
      case IoStatus::would_block:
        return ReadStatus::would_block;
      case IoStatus::timed_out:
        if (deadline != nullptr && receive_limited_) continue;  // which looks at the clock
        return ReadStatus::timed_out;
      case IoStatus::end_of_stream:
        return ReadStatus::end_of_stream;
      case IoStatus::failed:
        error_code_.store(result.code);
        return ReadStatus::failed;
    }
    traffic_.octets_received.add(result.count);
    turn_left_ -= std::min(turn_left_, result.count);
    reader_->received(result.count);
    more_at_hand_ = true;
    // Edge-triggered readiness comes again for what arrives from now on.
    drained_ =
        wait == Wait::no && result.count < space.size() && !expects_end_ && !transport_->buffered();
  }
}

SendResult Connection::send(const cdr::Buffer& message, Wait wait, Drain drain,
                            const CallDeadline* deadline) {
  if (traced_ && !broken()) trace_sent(protocol_, message, peer());
  return send_untraced(message, wait, drain, deadline);
}

SendResult Connection::send_joined(const cdr::Buffer& messages, std::uint32_t count,
                                   const CallDeadline* deadline) {
  const SendResult result = send_untraced(messages, Wait::yes, Drain::now, deadline);
  if (result.status < SendStatus::failed) count_joined(count - 1);
  return result;
}

void Connection::trace(const cdr::Buffer& message) const {
  if (traced_) trace_sent(protocol_, message, peer());
}

[[gnu::always_inline]] inline SendResult Connection::send_untraced(const cdr::Buffer& message,
                                                                   Wait wait, Drain drain,
                                                                   const CallDeadline* deadline) {
  if (broken()) return {SendStatus::failed};
  if (deadline != nullptr) [[unlikely]] {
    if (take_writing_limited()) return write_limited(message, *deadline);
  } else if (take_writing()) {
    return write_directly(message, wait, drain);
  }
  return write_later(message, wait, drain, deadline);
}

bool Connection::flush() {
  if (writing_.load() == Writing::idle) return !broken();
  {
    const std::lock_guard lock(mutex_);
    if (writing_.load() != Writing::blocked) {
      writable_again_.store(true);
      return !broken();
    }
    writing_.store(Writing::writing);
  }
  return drain(Wait::no);
}

void Connection::close() noexcept {
  broken_.store(true);
  transport_->interrupt();
  const std::lock_guard lock(mutex_);
  output_changed_.notify_all();
}

bool Connection::take_writing() noexcept {
  Writing expected = Writing::idle;
  return writing_.compare_exchange_strong(expected, Writing::writing);
}

std::span<const OctetSpan> Connection::gather(const cdr::Buffer& message, Segments& storage) const {
  storage.all.clear();
  storage.fragment_headers.clear();
  protocol_.gather(message, storage.all, storage.fragment_headers);
  return storage.all;
}

// Where memory runs out nobody would go on with what is half sent, or give up the right to write.
SendResult Connection::write_directly(const cdr::Buffer& message, Wait wait, Drain drain_when) try {
  if (send_limited_) [[unlikely]]
    limit_send(nullptr);
  const std::span<const OctetSpan> segments = segments_of(message, segments_);
  const std::size_t size = total_size(segments);
  IoResult result = transport_->send(segments, wait);
  if (wait == Wait::yes && result.ok() && result.count < size) [[unlikely]]
    result = send_rest(segments, result, nullptr);
  traffic_.messages_sent.add(1);
  traffic_.octets_sent.add(result.count);
  if (result.count == size) {
    if (stop_writing()) return {SendStatus::sent};
    if (drain_when == Drain::later) return {SendStatus::sent, 0, true};
    (void)drain(wait);  // what fails then are other callers' messages, not this one
    return {SendStatus::sent};
  }
  const bool short_write = result.ok() || result.status == IoStatus::would_block;
  if (wait == Wait::no && short_write) return finish_partial(segments, result.count);
  fail_output(result);
  return {SendStatus::failed};
} catch (...) {
  fail_output({0, IoStatus::failed, ENOMEM});
  throw;
}

// Copies what the transport did not take, since the caller's memory is borrowed only until we
// return. However large it is: the limit of the queue is for what others put behind it. The copy
// goes before what they have queued meanwhile, and has no position among them; position 0 says that
// the peer may have got it all, which is never wrong.
SendResult Connection::finish_partial(std::span<const OctetSpan> segments, std::size_t sent) {
  append(draining_, segments, sent);
  count_queued(total_size(segments) - sent);
  const std::uint64_t end = drained_octets() + (total_size(segments) - sent);
  // Only if draining failed there can be no other writer who counts, too.
  return {drain(Wait::no) || drained_octets() >= end ? SendStatus::queued : SendStatus::failed};
}

SendResult Connection::write_later(const cdr::Buffer& message, Wait wait, Drain drain,
                                   const CallDeadline* deadline) {
  Segments storage;
  const std::span<const OctetSpan> segments = segments_of(message, storage);
  const std::size_t size = total_size(segments);
  std::unique_lock lock(mutex_);
  for (;;) {
    if (broken()) return {SendStatus::failed};
    Writing state = writing_.load();
    if (state == Writing::idle) {
      lock.unlock();
      if (deadline == nullptr && take_writing()) return write_directly(message, wait, drain);
      if (deadline != nullptr && take_writing_limited()) return write_limited(message, *deadline);
      lock.lock();
      continue;
    }
    // The writer may go idle without the mutex while the state is `writing`: then look again.
    if (state == Writing::writing && !writing_.compare_exchange_strong(state, Writing::queued))
      continue;
    const bool handed = state == Writing::handed;
    // Who will drain the queue without making anybody wait now may put its message there, too.
    const bool fits = queue_.size() + size <= limits_.write_queue_size_max;
    if (fits || (handed && drain == Drain::later)) {
      const std::uint64_t position = enqueue(segments, size);
      if (wait == Wait::no || !(handed || writer_limited_)) return {SendStatus::queued, position};
      if (drain == Drain::later) return {SendStatus::queued, position, true};
      lock.unlock();
      return await_sent(position, deadline);
    }
    if (wait == Wait::no) break;
    const bool in_time =
        handed ? go_on(lock, queue_submitted_, deadline) : await_change(lock, deadline);
    if (!in_time) return {SendStatus::timed_out};
  }
  lock.unlock();
  close();  // the peer does not read: nothing that is queued will get out in time
  return {SendStatus::failed};
}

void Connection::count_queued(std::size_t size) noexcept {
  traffic_.octets_queued.fetch_add(static_cast<std::int64_t>(size), std::memory_order_relaxed);
}

// Under the mutex.
std::uint64_t Connection::enqueue(std::span<const OctetSpan> segments, std::size_t size) {
  queue_messages_.push_back({queue_submitted_ + 1, queue_.size() + size});
  try {
    append(queue_, segments);
  } catch (...) {
    queue_.resize(queue_messages_.back().end - size);
    queue_messages_.pop_back();
    throw;
  }
  count_queued(size);
  return ++queue_submitted_;
}

SendResult Connection::drain_queue(SendResult sent, const CallDeadline* deadline) {
  if (sent.status == SendStatus::queued) return await_sent(sent.position, deadline);
  (void)drain(Wait::yes);
  return {SendStatus::sent};
}

// Gives up the right to write, unless others have queued messages meanwhile.
bool Connection::stop_writing() noexcept {
  Writing expected = Writing::writing;
  return writing_.compare_exchange_strong(expected, Writing::idle);
}

bool Connection::drain(Wait wait) try {
  for (;;) {
    if (draining_offset_ == draining_.size() && !next_batch()) return true;
    writable_again_.store(false);
    const IoResult result = send_batch(wait);
    if (result.ok() || draining_offset_ == draining_.size()) continue;
    if (result.status != IoStatus::would_block) {
      fail_output(result);
      return false;
    }
    if (stop_blocked()) return true;
  }
} catch (...) {  // as in write_directly
  fail_output({0, IoStatus::failed, ENOMEM});
  throw;
}

// Sends of the present batch what the transport takes.
IoResult Connection::send_batch(Wait wait) {
  const OctetSpan rest = OctetSpan(draining_).subspan(draining_offset_);
  if (!draining_messages_.empty()) queue_accepted_.store(draining_messages_.back().position);
  const IoResult result = transport_->send({&rest, 1}, wait);
  draining_offset_ += result.count;
  drained_octets_.store(drained_octets() + result.count, std::memory_order_relaxed);
  traffic_.octets_sent.add(result.count);
  traffic_.octets_queued.fetch_sub(static_cast<std::int64_t>(result.count),
                                   std::memory_order_relaxed);
  std::uint64_t sent = queue_sent_.load(std::memory_order_relaxed);
  for (; draining_next_ < draining_messages_.size(); ++draining_next_) {
    if (draining_messages_[draining_next_].end > draining_offset_) break;
    sent = draining_messages_[draining_next_].position;
  }
  queue_sent_.store(sent);
  queue_accepted_.store(sent);
  return result;
}

// Takes the queue over for sending; when it is empty, nobody writes any longer.
bool Connection::next_batch() {
  const std::lock_guard lock(mutex_);
  clear_draining();
  std::swap(draining_, queue_);
  std::swap(draining_messages_, queue_messages_);
  traffic_.messages_sent.add(draining_messages_.size());
  const bool empty = draining_.empty();
  if (empty) writer_limited_ = false;
  writing_.store(empty ? Writing::idle : writer_limited_ ? Writing::queued : Writing::writing);
  output_changed_.notify_all();
  return !empty;
}

void Connection::clear_draining() noexcept {
  draining_.clear();
  if (draining_.capacity() > queue_memory_kept_max) Octets().swap(draining_);
  draining_messages_.clear();
  draining_offset_ = 0;
  draining_next_ = 0;
}

// False if the transport has become writable since it refused.
bool Connection::stop_blocked() {
  const std::lock_guard lock(mutex_);
  if (writable_again_.load()) return false;
  writing_.store(Writing::blocked);
  return true;
}

// After an error the transport is not interrupted: what the peer sent before (a CloseConnection)
// can still be read. After a time-out it is: it would live on, and readers wait for ever.
void Connection::fail_output(const IoResult& result) noexcept {
  if (result.code != 0) error_code_.store(result.code);
  broken_.store(true);
  if (result.status == IoStatus::timed_out) transport_->interrupt();
  const std::lock_guard lock(mutex_);
  writing_.store(Writing::failed);
  output_changed_.notify_all();
}

}  // namespace perigee::orb
