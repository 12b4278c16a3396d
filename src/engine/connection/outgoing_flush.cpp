// Sending queued messages, waiting for them, and the end of the output.
#include "engine/connection/outgoing_queue.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <new>

namespace perigee::engine {

using transport::Wait;

namespace {

constexpr std::chrono::hours wait_max{1};  // the sum with the current time must not overflow

}  // namespace

OutgoingQueue::Status OutgoingQueue::uncork() {
  if (!corked()) return failed() ? Status::failed : Status::flowing;
  {
    const std::lock_guard lock(lock_);
    if (!corked()) return failed() ? Status::failed : Status::flowing;
    take_cork();
    word_.store(writing_word);
  }
  return send_few_queued();
}

OutgoingQueue::Status OutgoingQueue::flush() {
  if (idle()) return failed() ? Status::failed : Status::flowing;
  {
    const std::lock_guard lock(lock_);
    std::uint32_t word = word_.load();
    while (state_of(word) == writing_word)
      if (word_.compare_exchange_weak(word, word | writable_bit)) break;
    if (state_of(word) != blocked_word) return failed() ? Status::failed : Status::flowing;
    yielded_.store(false);
    word_.store(writing_word);
  }
  return send_queued(Then::idle);
}

OutgoingQueue::Status OutgoingQueue::send_transport_output() {
  {
    const std::lock_guard lock(lock_);
    if (closed_.load() || finished_.load()) return failed() ? Status::failed : Status::flowing;
    has_transport_output_.store(true);
    for (std::uint32_t word = word_.load();;) {
      if (state_of(word) == blocked_word) return Status::blocked;
      const bool writes = state_of(word) == writing_word;
      if (!word_.compare_exchange_weak(word, writes ? word | noted_bit : writing_word)) continue;
      if (writes) return Status::flowing;
      take_cork();
      break;
    }
  }
  return send_queued(Then::idle);
}

void OutgoingQueue::finish() {
  for (;;) {
    const std::lock_guard lock(lock_);
    finishing_ = true;
    std::uint32_t word = word_.load();
    const std::uint32_t state = state_of(word);
    if (state == blocked_word || state == failed_word || (word & ended_bit) != 0) return;
    const std::uint32_t next = state == writing_word ? word | noted_bit : writing_word;
    if (!word_.compare_exchange_strong(word, next)) continue;
    if (state == writing_word) return;
    take_cork();
    break;
  }
  (void)send_queued(Then::idle);
}

// The thread that writes, if there is one, finds the queue closed.
void OutgoingQueue::close() noexcept {
  OutgoingBlocks lost;
  {
    const std::lock_guard lock(lock_);
    closed_.store(true);
    bool writes = true;
    for (std::uint32_t word = word_.load();;) {
      writes = state_of(word) == writing_word;
      if (word_.compare_exchange_weak(word, writes ? word | noted_bit : failed_word)) break;
    }
    if (!writes) {
      yielded_.store(false);
      drop_all(lost);
    }
  }
  wake_waiters();
}

// Called under the lock. The caller destroys the blocks without the lock.
void OutgoingQueue::drop_all(OutgoingBlocks& lost) noexcept {
  const std::size_t octets = queued_.octets() + leaving_.octets();
  counts_.queued.add(-static_cast<std::int64_t>(octets));
  take_cork();
  leaving_.push_back(queued_);
  lost.swap(leaving_);
}

bool OutgoingQueue::withdraw(Ticket ticket) noexcept {
  OutgoingBlocks emptied;
  {
    const std::lock_guard lock(lock_);
    const std::size_t size = queued_.withdraw(ticket, emptied);
    if (size == 0) return false;
    counts_.queued.add(-static_cast<std::int64_t>(size));
    const std::uint32_t word = word_.load();
    if (corked()) {
      held_octets_ -= size;
      held_count_.store(held() - 1, std::memory_order_relaxed);
    }
    const bool has_more = finishing_ || has_transport_output_.load();
    const bool waits = corked() || (state_of(word) == blocked_word && !has_more);
    if (waits && queued_.empty() && leaving_.empty()) {
      yielded_.store(false);
      word_.store(idle_word);
    }
  }
  emptied.clear();
  wake_waiters();  // there is room
  return true;
}

Ticket OutgoingQueue::last_ticket() const noexcept {
  const std::lock_guard lock(lock_);
  return submitted_;
}

// Called by the writing thread. `Then::idle`: when it returns, the state is no longer `writing`.
// `Then::write_own`: if the queue becomes empty, returns in the state `writing`; the thread then
// writes its own message.
OutgoingQueue::Status OutgoingQueue::send_queued(Then then, std::uint32_t batches_max) try {
  std::uint32_t left = batches_max;
  for (;;) {
    if (leaving_.empty()) {
      const Next next = next_batch(then, left);
      if (next == Next::empty) return Status::flowing;
      if (next == Next::yield) return Status::blocked;
      if (next == Next::transport_output || next == Next::finish) {
        const IoResult result =
            next == Next::transport_output ? write_transport_output() : finish_transport();
        if (result.ok()) continue;
        if (result.status != IoStatus::would_block) {
          fail(result);
          return Status::failed;
        }
        if (stop_blocked()) return Status::blocked;
        continue;
      }
      const bool sealed = next == Next::batch && (sealer_ == nullptr || seal_batch());
      if (!sealed) {
        fail({0, IoStatus::failed, next == Next::batch ? ENOMEM : 0});
        return Status::failed;
      }
    } else if (failed()) {
      fail({0, IoStatus::failed, 0});
      return Status::failed;
    }
    const IoResult result = send_batch();
    if (leaving_.empty() && left != 0) --left;
    if (result.ok() || leaving_.empty()) continue;
    if (result.status != IoStatus::would_block) {
      fail(result);
      return Status::failed;
    }
    if (stop_blocked()) return Status::blocked;
  }
} catch (...) {  // as in write_own; no caller waits for these messages
  fail({0, IoStatus::failed, ENOMEM});
  return Status::failed;
}

// A thread that has sent enough leaves the rest to the owner of the queue, which calls `flush`.
OutgoingQueue::Next OutgoingQueue::next_batch(Then then, std::uint32_t batches_left) noexcept {
  std::size_t messages = 0;
  bool empty = false;  // known before another thread may write
  {
    const std::lock_guard lock(lock_);
    if (closed_.load()) return Next::closed;
    if (has_transport_output_.load()) return Next::transport_output;
    if (batches_left == 0 && !queued_.empty()) {
      yielded_.store(true);
      word_.store(blocked_word);
      return Next::yield;
    }
    for (std::size_t blocks = 0; blocks < batch_blocks_max && !queued_.empty(); ++blocks) {
      OutgoingBlock& block = queued_.pop_front();
      messages += block.messages();
      leaving_.push_back(block);
    }
    empty = leaving_.empty();
    if (empty) {
      if (then == Then::idle && finishing_ && !finished_.load()) return Next::finish;
      if (then == Then::idle)
        word_.store(finished_.load() ? idle_word | ended_bit : idle_word);
      else
        word_.store(finishing_ ? writing_word | noted_bit : writing_word);
    }
  }
  wake_waiters();  // there is room
  if (empty) return Next::empty;
  counts_.messages.add(messages);
  return Next::batch;
}

bool OutgoingQueue::seal_batch() noexcept {
  OutgoingBlocks plain;
  plain.swap(leaving_);
  while (!plain.empty()) {
    const OctetSpan message = plain.front()->rest_of_message();
    const Ticket ticket = plain.front()->next();
    const Segments segments = seal({&message, 1});
    std::size_t size = 0;
    for (const OctetSpan segment : segments) size += segment.size();
    OutgoingBlock* const block = size == 0 ? nullptr : make_block(size);
    if (block == nullptr) return false;
    block->append(segments, 0, ticket);
    leaving_.push_back(*block);
    const auto grown = static_cast<std::int64_t>(size) - static_cast<std::int64_t>(message.size());
    counts_.queued.add(grown);
    (void)plain.advance(message.size());
  }
  return true;
}

IoResult OutgoingQueue::send_batch() {
  std::array<OctetSpan, batch_blocks_max> segments;
  std::size_t count = 0;
  Ticket last = 0;
  OutgoingBlock* block = leaving_.front();
  if (!limits_.joins_messages) {
    segments[count++] = block->rest_of_message();
    last = block->next();
  } else {
    for (; block != nullptr && count < segments.size(); block = OutgoingBlocks::following(*block)) {
      segments[count++] = block->rest();
      last = block->last();
    }
  }
  word_.fetch_and(~writable_bit);
  departing_.store(last);
  const IoResult result = transport_.send({segments.data(), count}, Wait::no);
  settle(result.count);
  return result;
}

void OutgoingQueue::settle(std::size_t count) noexcept {
  const Ticket whole = leaving_.advance(count);
  if (whole != 0) sent_.store(whole);
  departing_.store(sent_.load());
  drained_octets_.store(drained_octets() + count, std::memory_order_relaxed);
  counts_.octets.add(count);
  counts_.queued.add(-static_cast<std::int64_t>(count));
  wake_waiters();
}

// False if the transport has become writable since it refused, or the queue was closed meanwhile.
bool OutgoingQueue::stop_blocked() noexcept {
  const std::lock_guard lock(lock_);
  if (closed_.load() || (word_.load() & writable_bit) != 0) {
    word_.fetch_and(~writable_bit);
    return false;
  }
  word_.store(blocked_word);
  return true;
}

IoResult OutgoingQueue::finish_transport() {
  word_.fetch_and(~writable_bit);
  IoResult result;
  if (transport_.features().finishes)
    result = transport_.finish(Wait::no);
  else
    transport_.shutdown_send();
  if (result.ok()) finished_.store(true);
  return result;
}

// A send without segments sends the transport's own octets.
IoResult OutgoingQueue::write_transport_output() {
  has_transport_output_.store(false);
  word_.fetch_and(~writable_bit);
  const IoResult result = transport_.send({}, Wait::no);
  if (result.status == IoStatus::would_block) has_transport_output_.store(true);
  return result;
}

// After an error the transport is not interrupted: messages that the peer sent before, such as
// CloseConnection, can still be read. After a time-out it is interrupted, since the reading thread
// would wait for ever.
void OutgoingQueue::fail(const IoResult& result) noexcept {
  if (result.code != 0) error_code_.store(result.code);
  OutgoingBlocks lost;
  {
    const std::lock_guard lock(lock_);
    closed_.store(true);
    yielded_.store(false);
    word_.store(failed_word);
    drop_all(lost);
  }
  if (result.status == IoStatus::timed_out) transport_.interrupt();
  wake_waiters();
}

// Waits, without the lock, until messages have left or the queue has failed; may return earlier.
// False if the deadline has passed. `waiters_` is raised before the lock is released, so a thread
// that makes a change after that wakes this thread.
bool OutgoingQueue::await_change(std::unique_lock<ShortLock>& lock, Deadline deadline) {
  const std::uint64_t seen = changes_.load();
  waiters_.fetch_add(1);
  lock.unlock();
  {
    std::unique_lock change(change_mutex_);
    const auto changed = [&] { return changes_.load() != seen; };
    if (deadline.is_never()) {
      changed_.wait(change, changed);
    } else {
      const Duration left = std::min<Duration>(deadline.left(clock_.now()), wait_max);
      (void)changed_.wait_for(change, left, changed);
    }
  }
  waiters_.fetch_sub(1);
  return changes_.load() != seen || !deadline.passed(clock_.now());
}

// Called without the lock.
void OutgoingQueue::wake_waiters() noexcept {
  if (waiters_.load() == 0) return;
  {
    const std::lock_guard change(change_mutex_);
    changes_.fetch_add(1);
  }
  changed_.notify_all();
}

bool OutgoingQueue::await_sent(Ticket ticket, Deadline deadline) {
  for (;;) {
    std::unique_lock lock(lock_);
    if (sent_.load() >= ticket) return true;
    if (closed_.load()) return false;
    if (!await_change(lock, deadline)) return sent_.load() >= ticket;
  }
}

bool OutgoingQueue::check_invariants() noexcept {
  const std::lock_guard lock(lock_);
  const std::uint32_t word = word_.load();
  const std::uint32_t state = state_of(word);
  if (!queued_.check_invariants()) return false;
  if (sent_.load() > departing_.load() || departing_.load() > submitted_) return false;
  const OutgoingBlock* const first = queued_.front();
  const std::size_t first_size = first == nullptr ? 0 : first->size();
  const std::size_t octets_max = std::max(limits_.octets_max, std::size_t{256} * 1024);
  if (queued_.octets() > octets_max + first_size) return false;
  switch (state) {
    case idle_word: {
      const bool is_corked = (word & corked_bit) != 0;
      return is_corked ? !queued_.empty() && held() != 0 : queued_.empty() && held() == 0;
    }
    case blocked_word:
      return leaving_.check_invariants() &&
             (!queued_.empty() || !leaving_.empty() || has_transport_output_.load() ||
              (finishing_ && !finished_.load()));
    case failed_word:
      return failed();
    default:
      return true;
  }
}

}  // namespace perigee::engine
