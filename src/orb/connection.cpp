// Reading under the token, and writing by one thread at a time. The states of writing are explained
// at Connection::Writing; the queue is drained by whoever holds the right to write.
#include "orb/connection.h"

#include "orb/message_trace.h"

#include <algorithm>
#include <utility>

namespace perigee::orb {

using transport::Wait;

namespace {

// Octets of memory that an empty queue may keep for the next time.
constexpr std::size_t queue_memory_kept_max = 256 * 1024;

std::size_t total_size(std::span<const OctetSpan> segments) noexcept {
  std::size_t size = 0;
  for (const OctetSpan segment : segments) size += segment.size();
  return size;
}

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
                       const messaging::Protocol& protocol, ConnectionLimits limits)
    : transport_(std::move(transport)),
      protocol_(protocol),
      reader_(protocol.make_reader()),
      limits_(limits),
      traced_(tracing_messages()) {
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

ReadStatus Connection::read_message(messaging::IncomingMessage& message, Wait wait,
                                    MutableOctetSpan scratch, const CallDeadline* deadline) {
  for (;;) {
    switch (reader_->next(message)) {
      case messaging::MessageReader::Next::message:
        if (traced_) trace_received(protocol_, message, peer());
        return ReadStatus::message;
      case messaging::MessageReader::Next::error:
        return ReadStatus::bad_message;
      case messaging::MessageReader::Next::need_more:
        break;
    }
    if (std::exchange(drained_, false) && wait == Wait::no) return ReadStatus::would_block;
    if (deadline != nullptr || receive_limited_) [[unlikely]]
      if (!limit_receive(deadline)) return ReadStatus::timed_out;
    const MutableOctetSpan space = reader_->receive_space(scratch);
    const IoResult result = transport_->receive(space, wait);
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
    reader_->received(result.count);
    // Edge-triggered readiness comes again for what arrives from now on.
    drained_ = wait == Wait::no && result.count < space.size() && !expects_end_;
  }
}

SendResult Connection::send(const cdr::Buffer& message, Wait wait, Drain drain,
                            const CallDeadline* deadline) {
  if (broken()) return {SendStatus::failed};
  if (traced_) trace_sent(protocol_, message, peer());
  return take_writing() ? write_directly(message, wait, drain, deadline)
                        : write_later(message, wait, drain, deadline);
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

// The message's segments; valid until the next call, which only the writing thread may make.
std::span<const OctetSpan> Connection::segments_of(const cdr::Buffer& message) {
  if (message.borrowed().empty() && message.size() <= protocol_.limits().fragment_size) {
    single_segment_ = message.own_octets();
    return {&single_segment_, 1};
  }
  segments_.clear();
  fragment_headers_.clear();
  protocol_.gather(message, segments_, fragment_headers_);
  return segments_;
}

// By the thread that writes.
void Connection::limit_send(const CallDeadline* deadline) {
  const auto timeout =
      deadline != nullptr ? deadline->socket_timeout() : std::chrono::microseconds::zero();
  (void)transport_->set_send_timeout(timeout);
  send_limited_ = deadline != nullptr;
}

SendResult Connection::write_directly(const cdr::Buffer& message, Wait wait, Drain drain_when,
                                      const CallDeadline* deadline) {
  if (deadline != nullptr || send_limited_) [[unlikely]]
    limit_send(deadline);
  const std::span<const OctetSpan> segments = segments_of(message);
  const IoResult result = transport_->send(segments, wait);
  const bool complete = result.count == total_size(segments);
  if (complete) {
    if (stop_writing()) return {SendStatus::sent};
    if (drain_when == Drain::later) return {SendStatus::sent, 0, true};
    (void)drain(wait);  // what fails then are other callers' messages, not this one
    return {SendStatus::sent};
  }
  const bool short_write = result.ok() || result.status == IoStatus::would_block;
  if (wait == Wait::no && short_write) return finish_partial(segments, result.count);
  if (deadline != nullptr && result.status == IoStatus::timed_out && result.count == 0 &&
      stop_writing())
    return {SendStatus::timed_out};
  fail_output(result.code);
  return {SendStatus::failed};
}

// Copies what the transport did not take, since the caller's memory is borrowed only until we
// return. However large it is: the limit of the queue is for what others put behind it. The copy
// goes before what they have queued meanwhile, so it does not count in their positions; position 0
// says that the peer may have got it all, which is never wrong.
SendResult Connection::finish_partial(std::span<const OctetSpan> segments, std::size_t sent) {
  append(draining_, segments, sent);
  uncounted_ = total_size(segments) - sent;
  const bool usable = drain(Wait::no);
  return {usable || uncounted_ == 0 ? SendStatus::queued : SendStatus::failed};
}

SendResult Connection::write_later(const cdr::Buffer& message, Wait wait, Drain drain,
                                   const CallDeadline* deadline) {
  std::vector<OctetSpan> segments;
  Octets fragment_headers;
  protocol_.gather(message, segments, fragment_headers);
  const std::size_t size = total_size(segments);
  std::unique_lock lock(mutex_);
  for (;;) {
    if (broken()) return {SendStatus::failed};
    Writing state = writing_.load();
    if (state == Writing::idle) {
      if (!take_writing()) continue;
      lock.unlock();
      return write_directly(message, wait, drain, deadline);
    }
    // The writer may go idle without the mutex while the state is `writing`: then look again.
    if (state == Writing::writing && !writing_.compare_exchange_strong(state, Writing::queued))
      continue;
    if (queue_.size() + size <= limits_.write_queue_size_max) {
      append(queue_, segments);
      queue_submitted_ += size;
      return {SendStatus::queued, queue_submitted_};
    }
    if (wait == Wait::no) break;
    if (deadline == nullptr)
      output_changed_.wait(lock);
    else if (output_changed_.wait_until(lock, deadline->end()) == std::cv_status::timeout)
      return {SendStatus::timed_out};
  }
  lock.unlock();
  close();  // the peer does not read: nothing that is queued will get out in time
  return {SendStatus::failed};
}

// Gives up the right to write, unless others have queued messages meanwhile.
bool Connection::stop_writing() noexcept {
  Writing expected = Writing::writing;
  return writing_.compare_exchange_strong(expected, Writing::idle);
}

bool Connection::drain(Wait wait) {
  for (;;) {
    if (draining_offset_ == draining_.size() && !next_batch()) return true;
    writable_again_.store(false);
    const OctetSpan rest = OctetSpan(draining_).subspan(draining_offset_);
    queue_accepted_.store(queue_sent_ + rest.size() - uncounted_);
    const IoResult result = transport_->send({&rest, 1}, wait);
    draining_offset_ += result.count;
    drained_octets_ += result.count;
    const std::size_t uncounted = std::min(uncounted_, result.count);
    uncounted_ -= uncounted;
    queue_sent_ += result.count - uncounted;
    queue_accepted_.store(queue_sent_);
    if (result.ok() || result.count == rest.size()) continue;
    if (result.status != IoStatus::would_block) {
      fail_output(result.code);
      return false;
    }
    if (stop_blocked()) return true;
  }
}

// Takes the queue over for sending; when it is empty, nobody writes any longer.
bool Connection::next_batch() {
  const std::lock_guard lock(mutex_);
  draining_.clear();
  if (draining_.capacity() > queue_memory_kept_max) Octets().swap(draining_);
  draining_offset_ = 0;
  std::swap(draining_, queue_);
  writing_.store(draining_.empty() ? Writing::idle : Writing::writing);
  output_changed_.notify_all();
  return !draining_.empty();
}

// False if the transport has become writable since it refused.
bool Connection::stop_blocked() {
  const std::lock_guard lock(mutex_);
  if (writable_again_.load()) return false;
  writing_.store(Writing::blocked);
  return true;
}

// The transport is not interrupted: what the peer sent before (a CloseConnection) can still be
// read.
void Connection::fail_output(int code) noexcept {
  if (code != 0) error_code_.store(code);
  broken_.store(true);
  const std::lock_guard lock(mutex_);
  writing_.store(Writing::failed);
  output_changed_.notify_all();
}

}  // namespace perigee::orb
