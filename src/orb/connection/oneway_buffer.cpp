// Time limits and losses of held messages.
#include "orb/connection/oneway_buffer.h"

#include <perigee/base/log.h>
#include <perigee/cdr/encoder.h>

#include <algorithm>
#include <string>

namespace perigee::orb {

using engine::SendResult;
using engine::SendStatus;
using transport::Wait;

namespace {

// The largest message that is copied: copying a larger one costs more than a system call.
constexpr std::size_t copied_size_max = cdr::Encoder::borrow_size_min;
// How soon to look again at a transport that takes nothing.
constexpr std::chrono::milliseconds retry_after{10};
// How many positions are kept before the positions of sent messages are removed.
constexpr std::size_t positions_kept = 64;

}  // namespace

OnewayBuffer::~OnewayBuffer() {
  connection_.close();
  count_lost();
}

// A large message is sent alone, after the held messages.
OnewayBuffer::Put OnewayBuffer::put(const cdr::Buffer& message, const BufferingLimits& limits,
                                    Deadline deadline) {
  if (connection_.broken()) return {SendStatus::failed};
  if (message.size() > copied_size_max)
    return {connection_.send(message, Wait::yes, deadline).status};
  const engine::Hold hold{limits.count, limits.octets};
  const SendResult result = connection_.hold(message, hold, Wait::yes, deadline);
  if (result.position != 0) watch(result.position, limits.timeout);
  if (result.status != SendStatus::failed) return {result.status};
  count_lost();
  return {SendStatus::failed, result.position != 0};
}

void OnewayBuffer::watch(std::uint64_t position, std::chrono::microseconds timeout) {
  const std::lock_guard lock(mutex_);
  if (positions_.size() >= positions_kept)
    std::erase_if(positions_, [this](std::uint64_t each) { return connection_.sent(each); });
  positions_.insert(std::ranges::upper_bound(positions_, position), position);
  if (timeout.count() == 0 || timer_ == nullptr || empty()) return;
  if (!due_.is_never() && timeout >= due_after_) return;  // is sent together with the first message
  due_after_ = timeout;
  due_ = std::min(due_, Deadline::after(timeout, timer_->now()));
  if (timer_->wake_at(due_)) return;
  due_ = Deadline::never();  // no thread would send them later
  (void)connection_.uncork();
}

void OnewayBuffer::flush_or_close(Deadline deadline) {
  (void)connection_.uncork();
  const bool sent = connection_.await_sent(connection_.last_position(), deadline);
  if (!sent && !connection_.being_written()) connection_.close();
  count_lost();
}

Deadline OnewayBuffer::flush_due(TimePoint now, std::chrono::milliseconds patience) {
  const std::lock_guard lock(mutex_);
  if (!due_.passed(now) && !refused_.load()) return due_;
  due_ = Deadline::never();
  (void)connection_.uncork();
  refused_.store(connection_.blocked_output());
  if (!refused_.load()) {
    refused_until_ = Deadline::never();
    return Deadline::never();
  }
  if (refused_until_.is_never() || refused_at_ != connection_.drained_octets())
    refused_until_ = Deadline::after(patience, now);
  refused_at_ = connection_.drained_octets();
  if (!refused_until_.passed(now)) return Deadline::after(retry_after, now);
  connection_.close();
  refused_.store(false);
  return Deadline::never();
}

// Counts the losses of a connection that has failed.
void OnewayBuffer::count_lost() noexcept {
  const std::lock_guard lock(mutex_);
  if (!connection_.broken()) return;
  lose(static_cast<std::size_t>(std::ranges::count_if(
      positions_, [this](std::uint64_t each) { return !connection_.sent(each); })));
  positions_.clear();
}

// Logged and counted only: no caller is left to get an exception.
void OnewayBuffer::lose(std::size_t count) noexcept {
  if (count == 0) return;
  if (ledger_ != nullptr) ledger_->oneways_lost.fetch_add(count);
  try {
    log::write(log::Level::warning, "orb",
               std::to_string(count) + " buffered oneways to " + connection_.peer() + " are lost");
  } catch (...) {  // no memory for the text: the losses were counted
  }
}

}  // namespace perigee::orb
