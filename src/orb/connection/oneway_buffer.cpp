// Collecting messages, and sending them as one.
#include "orb/connection/oneway_buffer.h"

#include <perigee/base/log.h>
#include <perigee/cdr/encoder.h>
#include <perigee/event/handle_state.h>

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

namespace perigee::orb {

using transport::Wait;

namespace {

constexpr std::size_t octets_max = 256 * 1024;
// Of a message: to copy a larger one costs more than a system call.
constexpr std::size_t copied_size_max = cdr::Encoder::borrow_size_min;
// Of what could not be sent when it was due.
constexpr std::chrono::milliseconds retry_after{10};

}  // namespace

OnewayBuffer::~OnewayBuffer() {
  look_after_queued();
  lose(queued_count_);  // the connection ends: what is not out by now stays
  forget();
}

bool OnewayBuffer::lock(std::unique_lock<std::timed_mutex>& lock,
                        const CallDeadline* deadline) const {
  if (deadline != nullptr) return lock.try_lock_for(deadline->left());
  lock.lock();
  return true;
}

// A large message goes alone, behind those that wait. The buffer is never as large as what is sent
// in fragments: it would be taken for one message.
OnewayBuffer::Put OnewayBuffer::put(const cdr::Buffer& message, const BufferingLimits& limits,
                                    const CallDeadline* deadline) {
  std::unique_lock guard(mutex_, std::defer_lock);
  if (!lock(guard, deadline)) return {SendStatus::timed_out};
  if (connection_.broken()) return {SendStatus::failed};
  const std::size_t size_max =
      std::min<std::size_t>(octets_max, connection_.protocol().limits().fragment_size);
  const bool goes_alone = message.size() > std::min(copied_size_max, size_max);
  if (goes_alone || messages_.size() + message.size() > size_max) {
    const SendStatus sent = send_all(deadline);
    if (sent >= SendStatus::failed) return {sent};
  }
  if (goes_alone) return {connection_.send(message, Wait::yes, Drain::now, deadline).status};
  append(message, limits);
  if (!is_full(limits)) return {SendStatus::queued};
  const SendStatus sent = send_all(deadline);
  if (sent == SendStatus::timed_out) return {SendStatus::queued};  // they go on waiting
  return {sent, sent == SendStatus::failed};
}

bool OnewayBuffer::is_full(const BufferingLimits& limits) const noexcept {
  return (limits.count != 0 && count() >= limits.count) ||
         (limits.octets != 0 && messages_.size() >= limits.octets);
}

void OnewayBuffer::append(const cdr::Buffer& message, const BufferingLimits& limits) {
  assert(message.borrowed().empty());  // what is borrowed is large
  std::ranges::copy(message.own_octets(), messages_.extend(message.size()));
  connection_.trace(message);
  count_.fetch_add(1, std::memory_order_relaxed);
  if (limits.timeout.count() == 0 || timer_ == nullptr) return;
  if (due_ != WakeTimer::never && limits.timeout >= due_after_) return;  // as soon as the first
  due_after_ = limits.timeout;
  due_ = std::min(due_, timer_->now() + limits.timeout);
  timer_->wake_at(due_);
}

SendStatus OnewayBuffer::flush(const CallDeadline* deadline) {
  std::unique_lock guard(mutex_, std::defer_lock);
  if (!lock(guard, deadline)) return SendStatus::timed_out;
  return send_all(deadline);
}

void OnewayBuffer::flush_or_close(const CallDeadline& deadline) {
  std::unique_lock guard(mutex_, std::defer_lock);
  if (lock(guard, &deadline)) send_or_close(deadline);
}

// By the timer's thread, on which others wait for their turn: so it does not begin to send to who
// takes nothing. Who has the lock is just sending, or puts one more.
TimePoint OnewayBuffer::flush_due(TimePoint now, std::chrono::milliseconds patience) {
  const std::unique_lock guard(mutex_, std::try_to_lock);
  if (!guard) return now + retry_after;
  look_after_queued();
  if (due_ > now) return due_;
  if (!is_stuck(now, patience)) send_or_close(CallDeadline(patience));
  return empty() ? WakeTimer::never : std::max(due_, now + retry_after);
}

// Whether the transport takes nothing now. After `patience` without a taker the connection ends; as
// long as another thread is sending, that is its business.
bool OnewayBuffer::is_stuck(TimePoint now, std::chrono::milliseconds patience) {
  if (connection_.being_written()) return true;
  if (event::is_writable(connection_.transport().readiness_fd())) {
    refused_since_ = WakeTimer::never;
    return false;
  }
  refused_since_ = std::min(refused_since_, now);
  if (now - refused_since_ < patience) return true;
  connection_.close();
  forget();
  return true;
}

// Under the mutex.
void OnewayBuffer::send_or_close(const CallDeadline& deadline) {
  if (send_all(&deadline) != SendStatus::timed_out || connection_.being_written()) return;
  connection_.close();
  forget();
}

// Under the mutex.
SendStatus OnewayBuffer::send_all(const CallDeadline* deadline) {
  look_after_queued();
  if (empty()) return SendStatus::sent;
  const SendResult result = connection_.send_joined(messages_, count(), deadline);
  if (result.status == SendStatus::timed_out) return result.status;
  if (result.status == SendStatus::queued) {
    queued_count_ += count();
    queued_position_ = result.position;
  }
  if (result.status != SendStatus::failed) count_.store(0, std::memory_order_relaxed);
  forget();
  return result.status;
}

// Those that another thread was to send: they are out, or lost with its connection.
void OnewayBuffer::look_after_queued() noexcept {
  if (queued_count_ == 0) return;
  if (connection_.accepted(queued_position_))
    queued_count_ = 0;
  else if (connection_.broken())
    lose(std::exchange(queued_count_, 0));
}

void OnewayBuffer::forget() noexcept {
  lose(count_.exchange(0, std::memory_order_relaxed));
  messages_.clear();
  due_ = WakeTimer::never;
  refused_since_ = WakeTimer::never;
}

// Nobody waits for these calls any longer who could be told by an exception.
void OnewayBuffer::lose(std::uint32_t count) noexcept {
  if (count == 0) return;
  if (ledger_ != nullptr) ledger_->oneways_lost.fetch_add(count);
  try {
    log::write(log::Level::warning, "orb",
               std::to_string(count) + " buffered oneways to " + connection_.peer() + " are lost");
  } catch (...) {  // no memory for the text: they are counted
  }
}

}  // namespace perigee::orb
