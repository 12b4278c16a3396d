// Collecting messages, and sending them as one.
#include "orb/client/oneway_buffer.h"

#include <perigee/base/log.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace perigee::orb {

using transport::Wait;

namespace {

constexpr std::size_t octets_max = 256 * 1024;

}  // namespace

OnewayBuffer::~OnewayBuffer() { lose(); }

bool OnewayBuffer::lock(std::unique_lock<std::timed_mutex>& lock,
                        const CallDeadline* deadline) const {
  if (deadline != nullptr) return lock.try_lock_for(deadline->left());
  lock.lock();
  return true;
}

// What is larger than a buffer goes alone, behind those that wait. So does what would be sent in
// fragments: a buffer of that size would be taken for one message.
SendStatus OnewayBuffer::put(const cdr::Buffer& message, const BufferingLimits& limits,
                             const CallDeadline* deadline) {
  std::unique_lock guard(mutex_, std::defer_lock);
  if (!lock(guard, deadline)) return SendStatus::timed_out;
  const std::size_t size_max =
      std::min<std::size_t>(octets_max, connection_.protocol().limits().fragment_size);
  if (messages_.size() + message.size() > size_max) {
    const SendStatus sent = send_all(deadline);
    if (sent >= SendStatus::failed) return sent;
  }
  if (message.size() > size_max)
    return connection_.send(message, Wait::yes, Drain::now, deadline).status;
  append(message, limits);
  const bool full = (limits.count != 0 && count_.load(std::memory_order_relaxed) >= limits.count) ||
                    (limits.octets != 0 && messages_.size() >= limits.octets);
  if (!full) return SendStatus::queued;
  const SendStatus sent = send_all(deadline);
  return sent == SendStatus::timed_out ? SendStatus::queued : sent;  // they go on waiting
}

void OnewayBuffer::append(const cdr::Buffer& message, const BufferingLimits& limits) {
  std::byte* place = messages_.extend(message.size());
  if (message.borrowed().empty()) {
    std::memcpy(place, message.own_octets().data(), message.size());
  } else {
    std::vector<OctetSpan> segments;
    message.gather(segments);
    for (const OctetSpan segment : segments) place = std::ranges::copy(segment, place).out;
  }
  connection_.trace(message);
  count_.fetch_add(1, std::memory_order_relaxed);
  if (limits.timeout.count() == 0 || timer_ == nullptr) return;
  if (due_ != FlushTimer::never && limits.timeout >= due_after_) return;  // as soon as the first
  due_after_ = limits.timeout;
  due_ = std::min(due_, timer_->now() + limits.timeout);
  timer_->wake_at(due_);
}

SendStatus OnewayBuffer::flush(const CallDeadline* deadline) {
  std::unique_lock guard(mutex_, std::defer_lock);
  if (!lock(guard, deadline)) return SendStatus::timed_out;
  return send_all(deadline);
}

// Somebody else has the lock: he is just sending them, or one more comes.
TimePoint OnewayBuffer::flush_due(TimePoint now, const CallDeadline& deadline) {
  const std::unique_lock guard(mutex_, std::try_to_lock);
  if (!guard) return now + std::chrono::milliseconds(1);
  if (due_ <= now) send_or_close(deadline);
  return due_;
}

void OnewayBuffer::flush_or_close(const CallDeadline& deadline) {
  std::unique_lock guard(mutex_, std::defer_lock);
  if (lock(guard, &deadline)) send_or_close(deadline);
}

// Under the mutex.
void OnewayBuffer::send_or_close(const CallDeadline& deadline) {
  if (send_all(&deadline) != SendStatus::timed_out) return;
  connection_.close();
  forget();
}

// Under the mutex.
SendStatus OnewayBuffer::send_all(const CallDeadline* deadline) {
  const std::uint32_t count = count_.load(std::memory_order_relaxed);
  if (count == 0) return SendStatus::sent;
  const SendStatus sent = connection_.send_joined(messages_, count, deadline).status;
  if (sent == SendStatus::timed_out) return sent;
  if (sent != SendStatus::failed) count_.store(0, std::memory_order_relaxed);
  forget();
  return sent;
}

void OnewayBuffer::forget() noexcept {
  lose();
  messages_.clear();
  due_ = FlushTimer::never;
}

// Nobody waits for these calls any longer who could be told by an exception.
void OnewayBuffer::lose() noexcept {
  const std::uint32_t count = count_.exchange(0, std::memory_order_relaxed);
  if (count == 0) return;
  if (ledger_ != nullptr) ledger_->oneways_lost.fetch_add(count);
  try {
    log::write(log::Level::warning, "orb",
               std::to_string(count) + " buffered oneways to " + connection_.peer() + " are lost");
  } catch (...) {  // no memory for the text: they are counted
  }
}

}  // namespace perigee::orb
