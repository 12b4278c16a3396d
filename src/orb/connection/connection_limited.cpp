// Writing within a deadline. A writer that has one sends its own message and no other: it hands
// what others have queued over to them, and they wait with their messages until a writer without a
// deadline sends them, or do it themselves. So nobody's time can end the sending of what nobody
// else will send.
#include "orb/connection/connection.h"
#include <perigee/base/segments.h>

#include <algorithm>
#include <cerrno>

namespace perigee::orb {

using transport::Wait;

namespace {

void drop_front(std::vector<OctetSpan>& segments, std::size_t size) {
  auto first = segments.begin();
  while (first != segments.end() && first->size() <= size) size -= (first++)->size();
  if (first != segments.end()) *first = first->subspan(size);
  segments.erase(segments.begin(), first);
}

}  // namespace

// By the thread that writes.
void Connection::limit_send(const CallDeadline* deadline) {
  const auto timeout = deadline != nullptr ? deadline->socket_timeout() : limits_.send_timeout;
  (void)transport_->set_send_timeout(timeout);
  send_limited_ = deadline != nullptr;
}

// Its state is `queued` from the first: others must see under the mutex what kind of writer it is.
bool Connection::take_writing_limited() noexcept {
  const std::lock_guard lock(mutex_);
  Writing expected = Writing::idle;
  if (!writing_.compare_exchange_strong(expected, Writing::queued)) return false;
  writer_limited_ = true;
  return true;
}

SendResult Connection::write_limited(const cdr::Buffer& message, const CallDeadline& deadline) try {
  const std::span<const OctetSpan> segments = segments_of(message, segments_);
  const IoResult result = send_rest(segments, send_once(segments, &deadline), &deadline);
  traffic_.messages_sent.add(1);
  traffic_.octets_sent.add(result.count);
  const bool complete = result.count == total_size(segments);
  if (!complete && (result.count != 0 || result.status != IoStatus::timed_out)) {
    fail_output(result);
    return {SendStatus::failed};
  }
  hand_over();
  return {complete ? SendStatus::sent : SendStatus::timed_out};
} catch (...) {  // as in write_directly
  fail_output({0, IoStatus::failed, ENOMEM});
  throw;
}

IoResult Connection::send_once(std::span<const OctetSpan> segments, const CallDeadline* deadline) {
  if (deadline != nullptr) limit_send(deadline);
  return transport_->send(segments, Wait::yes);
}

// Goes on after a short send, looking at the clock before each further one. The count is that of
// all.
IoResult Connection::send_rest(std::span<const OctetSpan> segments, IoResult first,
                               const CallDeadline* deadline) {
  const std::size_t size = total_size(segments);
  const auto goes_on = [&](const IoResult& result) {
    return result.ok() || (deadline != nullptr && result.status == IoStatus::timed_out);
  };
  IoResult result = first;
  if (result.count == size || !goes_on(result)) return result;
  std::vector<OctetSpan> rest(segments.begin(), segments.end());
  drop_front(rest, result.count);
  for (std::size_t sent = result.count; sent < size && goes_on(result);) {
    if (deadline != nullptr && deadline->expired()) return {sent, IoStatus::timed_out, 0};
    result = send_once(rest, deadline);
    drop_front(rest, result.count);
    result.count = sent += result.count;
  }
  return result;
}

// Gives up the right to write, whatever is left.
void Connection::hand_over() noexcept {
  const std::lock_guard lock(mutex_);
  writer_limited_ = false;
  const bool all_sent = queue_.empty() && draining_offset_ == draining_.size();
  if (all_sent) clear_draining();
  writing_.store(all_sent ? Writing::idle : Writing::handed);
  output_changed_.notify_all();
}

// Waits until a queued message is out, or a writer without a deadline will send it.
SendResult Connection::await_sent(std::uint64_t position, const CallDeadline* deadline) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (queue_sent_.load() >= position) return {SendStatus::sent};
    if (broken()) {
      const bool may_be_out = accepted(position);
      return {may_be_out ? SendStatus::queued : SendStatus::failed, position};
    }
    const bool handed = writing_.load() == Writing::handed;
    if (!handed && !writer_limited_) return {SendStatus::queued, position};
    const bool in_time = handed ? go_on(lock, position, deadline) : await_change(lock, deadline);
    if (in_time) continue;
    if (withdraw_locked(position)) return {SendStatus::timed_out};
    return {SendStatus::queued, position};
  }
}

// In the state `handed`: sends what is queued, with a deadline not beyond `position`. False when
// the deadline has passed. Comes back with the mutex, as `await_change` does.
bool Connection::go_on(std::unique_lock<std::mutex>& lock, std::uint64_t position,
                       const CallDeadline* deadline) {
  if (deadline != nullptr && deadline->expired()) return false;
  writing_.store(Writing::queued);
  writer_limited_ = deadline != nullptr;
  output_changed_.notify_all();
  lock.unlock();
  if (deadline != nullptr) {
    drain_limited(position, *deadline);
  } else {
    if (send_limited_) limit_send(nullptr);
    (void)drain(Wait::yes);
  }
  lock.lock();
  return true;
}

bool Connection::await_change(std::unique_lock<std::mutex>& lock, const CallDeadline* deadline) {
  if (deadline == nullptr) {
    output_changed_.wait(lock);
    return true;
  }
  return output_changed_.wait_for(lock, deadline->left()) == std::cv_status::no_timeout ||
         !deadline->expired();
}

void Connection::drain_limited(std::uint64_t position, const CallDeadline& deadline) {
  while (queue_sent_.load() < position && !deadline.expired()) {
    if (draining_offset_ == draining_.size() && !next_batch()) return;
    limit_send(&deadline);
    const IoResult result = send_batch(Wait::yes);
    const bool all_sent = draining_offset_ == draining_.size();
    if (!all_sent && !result.ok() && result.status != IoStatus::timed_out)
      return fail_output(result);
    const std::lock_guard lock(mutex_);
    output_changed_.notify_all();  // of messages that are out
  }
  hand_over();
}

bool Connection::withdraw(std::uint64_t position) noexcept {
  const std::lock_guard lock(mutex_);
  return withdraw_locked(position);
}

bool Connection::withdraw_locked(std::uint64_t position) noexcept {
  const auto message = std::ranges::find(queue_messages_, position, &Queued::position);
  if (message == queue_messages_.end()) return false;
  const std::size_t begin = message == queue_messages_.begin() ? 0 : std::prev(message)->end;
  const std::size_t size = message->end - begin;
  const auto place = queue_.begin() + static_cast<std::ptrdiff_t>(begin);
  queue_.erase(place, place + static_cast<std::ptrdiff_t>(size));
  traffic_.octets_queued.fetch_sub(static_cast<std::int64_t>(size), std::memory_order_relaxed);
  for (auto later = queue_messages_.erase(message); later != queue_messages_.end(); ++later)
    later->end -= size;
  if (writing_.load() == Writing::handed && queue_.empty() &&
      draining_offset_ == draining_.size()) {
    clear_draining();
    writing_.store(Writing::idle);
  }
  output_changed_.notify_all();  // there is room
  return true;
}

}  // namespace perigee::orb
