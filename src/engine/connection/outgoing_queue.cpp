// Sending one message: writing it, or appending a copy.
#include "engine/connection/outgoing_queue.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <new>
#include <utility>

namespace perigee::engine {

using transport::Wait;

namespace {

// With a time-out, a message larger than this is sent in slices, so that other threads see that the
// peer goes on reading.
constexpr std::size_t slice_size = std::size_t{1} << 20;
// The limit of held messages. They are sent before their size would exceed it.
constexpr std::size_t held_octets_max = std::size_t{256} * 1024;

std::size_t largest_at_once(const OutgoingLimits& limits, const Sealer* sealer) noexcept {
  if (sealer != nullptr) return 0;
  return limits.send_timeout.count() != 0 ? slice_size : std::numeric_limits<std::size_t>::max();
}

// The part of a message that a transport has not taken.
class Remainder {
 public:
  explicit Remainder(OutgoingQueue::Segments message) noexcept : segments_(message) {}

  void advance(std::size_t count) noexcept {
    count += offset_;
    while (!segments_.empty() && count >= segments_.front().size()) {
      count -= segments_.front().size();
      segments_ = segments_.subspan(1);
    }
    offset_ = count;
  }
  /// The next segments, of about `slice_size` octets.
  [[nodiscard]] OutgoingQueue::Segments next() noexcept {
    std::size_t count = 0;
    std::size_t size = 0;
    std::size_t skipped = offset_;
    while (count < segments_.size() && count < slice_.size() && size < slice_size) {
      const OctetSpan rest = segments_[count].subspan(std::exchange(skipped, 0));
      slice_[count] = rest.first(std::min(rest.size(), slice_size - size));
      size += slice_[count++].size();
    }
    return {slice_.data(), count};
  }

 private:
  OutgoingQueue::Segments segments_;
  std::size_t offset_ = 0;
  std::array<OctetSpan, 32> slice_;
};

}  // namespace

OutgoingQueue::OutgoingQueue(transport::Transport& transport, const OutgoingLimits& limits,
                             OutgoingCounts& counts, Sealer* sealer, const Clock& clock) noexcept
    : transport_(transport),
      limits_(limits),
      counts_(counts),
      sealer_(sealer),
      at_once_max_(largest_at_once(limits, sealer)),
      clock_(clock),
      send_limited_(limits.send_timeout != std::chrono::microseconds::zero()) {}

OutgoingQueue::~OutgoingQueue() {
  const std::size_t unsent = queued_.octets() + leaving_.octets();
  counts_.queued.add(-static_cast<std::int64_t>(unsent));
}

// The queue is in the state `writing`, and this thread writes. A transport may throw for lack of
// memory. Then the count of sent octets is unknown, so the queue fails.
Sent OutgoingQueue::write_own(Segments message, std::size_t size, Wait wait,
                              Deadline deadline) try {
  if (size <= at_once_max_ && !send_limited_ && deadline.is_never()) [[likely]]
    return write_at_once(message, size, wait);
  return write_slowly(message, wait, deadline);
} catch (...) {
  fail({0, IoStatus::failed, ENOMEM});
  throw;
}

[[gnu::always_inline]] inline Sent OutgoingQueue::write_at_once(Segments message, std::size_t size,
                                                                Wait wait) {
  const IoResult result = transport_.send(message, wait);
  counts_.octets.add(result.count);
  if (result.count != size) [[unlikely]]
    return after_part(message, result, wait);
  counts_.messages.add(1);
  if (!stop_writing()) [[unlikely]]
    (void)send_few_queued();  // a failure there concerns other messages
  return {Sent::Status::sent};
}

// Writes a message that has to be sealed, has a time limit, or leaves in slices.
[[gnu::noinline]] Sent OutgoingQueue::write_slowly(Segments message, Wait wait, Deadline deadline) {
  if (sealer_ != nullptr) message = seal(message);
  if (message.empty()) {  // no memory for the seal
    fail({0, IoStatus::failed, ENOMEM});
    return {Sent::Status::failed};
  }
  const std::size_t size = total_size(message);
  const bool sliced = size > slice_size && limits_.send_timeout.count() != 0;
  const bool limited = send_limited_ || !deadline.is_never() || sliced;
  return limited && wait == Wait::yes ? write_limited(message, size, deadline)
                                      : write_at_once(message, size, wait);
}

OutgoingQueue::Segments OutgoingQueue::seal(Segments message) noexcept {
  seal_memory_.clear();
  try {
    sealed_.assign(message.begin(), message.end());
  } catch (const std::bad_alloc&) {
    return {};
  }
  sealer_->seal(sealed_, seal_memory_);
  return sealed_;
}

// A datagram or a sealed message must be in one block. So the queue copies it instead of sharing
// the lender's memory.
Sent OutgoingQueue::send_shared(Segments message, cdr::Lender& lender) {
  if (sealer_ != nullptr || !limits_.joins_messages) return send(message, Wait::no);
  std::uint32_t expected = idle_word;
  if (word_.compare_exchange_strong(expected, writing_word))
    return write_shared(message, total_size(message), lender);
  return send_later(message, nullptr, Wait::no, {}, &lender);
}

Sent OutgoingQueue::write_shared(Segments message, std::size_t size, cdr::Lender& lender) try {
  const IoResult result = transport_.send(message, Wait::no);
  counts_.octets.add(result.count);
  if (result.count != size) return after_part(message, result, Wait::no, &lender);
  counts_.messages.add(1);
  if (!stop_writing()) (void)send_few_queued();  // a failure there concerns other messages
  return {Sent::Status::sent};
} catch (...) {  // as in write_own
  fail({0, IoStatus::failed, ENOMEM});
  throw;
}

[[gnu::noinline]] Sent OutgoingQueue::after_part(Segments message, IoResult result, Wait wait,
                                                 cdr::Lender* lender) {
  const bool goes_on = result.ok() || result.status == IoStatus::would_block;
  const bool waits_in_queue = goes_on && result.count == 0 && sealer_ == nullptr;
  if (!waits_in_queue) counts_.messages.add(1);  // else it is counted when it leaves the queue
  if (goes_on && wait == Wait::no) return keep_rest(message, result.count, lender);
  if (result.ok()) {  // the transport has a time-out of its own, and has sent only a part
    Remainder rest(message);
    rest.advance(result.count);
    std::size_t left = total_size(message) - result.count;
    while (left != 0) {
      const IoResult further = transport_.send(rest.next(), Wait::yes);
      counts_.octets.add(further.count);
      rest.advance(further.count);
      left -= further.count;
      if (further.ok()) continue;
      if (left != 0) fail(further);
      break;
    }
    if (left != 0) return {Sent::Status::failed};
    (void)send_few_queued();
    return {Sent::Status::sent};
  }
  fail(result);
  return {Sent::Status::failed};
}

// Writes a message within its deadline, or within the time-out of the connection.
Sent OutgoingQueue::write_limited(Segments message, std::size_t size, Deadline deadline) {
  Remainder rest(message);
  IoResult result;
  std::size_t sent = 0;
  while (sent < size) {
    if (!limit_send(deadline)) {
      result = {0, IoStatus::timed_out, 0};
      break;
    }
    result = transport_.send(rest.next(), Wait::yes);
    counts_.octets.add(result.count);
    rest.advance(result.count);
    sent += result.count;
    const bool looks_again = result.status == IoStatus::timed_out && !deadline.is_never();
    if (!result.ok() && !looks_again) break;
  }
  const bool untouched = sent == 0 && result.status == IoStatus::timed_out && !deadline.is_never();
  if (sent < size && (!untouched || sealer_ != nullptr)) {
    fail(result);
    return {Sent::Status::failed};
  }
  if (!untouched) counts_.messages.add(1);
  (void)send_few_queued();
  return {untouched ? Sent::Status::timed_out : Sent::Status::sent};
}

// False if the deadline has passed. Keeps the time-out of the transport if the new one differs by
// at most 1/64. So calls with equal limits need no system call to set it.
bool OutgoingQueue::limit_send(Deadline deadline) {
  std::chrono::microseconds wanted = limits_.send_timeout;
  send_limited_ = !deadline.is_never();
  if (!deadline.is_never()) {
    const TimePoint now = clock_.now();
    if (deadline.passed(now)) return false;
    wanted = std::chrono::ceil<std::chrono::microseconds>(deadline.left(now));
    const auto margin = wanted / 64;
    if (send_timeout_ >= wanted - margin && send_timeout_ <= wanted + margin) return true;
  }
  if (wanted == send_timeout_) return true;
  (void)transport_.set_send_timeout(wanted);
  send_timeout_ = wanted;
  return true;
}

MutableOctetSpan OutgoingQueue::begin_direct(std::size_t hint) noexcept {
  std::uint32_t expected = idle_word;
  if (!word_.compare_exchange_strong(expected, writing_word)) return {};
  const MutableOctetSpan place = transport_.begin_direct(hint);
  if (place.empty()) end_direct();
  return place;
}

// If the queue was closed meanwhile, the message is not sent, and its sender may send it on another
// connection.
Sent OutgoingQueue::commit_direct(std::size_t size) noexcept {
  if (size != 0 && failed()) [[unlikely]] {
    (void)transport_.commit(0);
    fail({0, IoStatus::failed, 0});
    return {Sent::Status::failed};
  }
  const IoResult result = transport_.commit(size);
  counts_.octets.add(result.count);
  if (!result.ok() || result.count != size) {
    fail(result);
    return {Sent::Status::failed};
  }
  if (size != 0) counts_.messages.add(1);
  end_direct();
  return {Sent::Status::sent};
}

void OutgoingQueue::end_direct() noexcept {
  if (!stop_writing()) (void)send_few_queued();  // a failure there concerns other messages
}

OutgoingBlock* OutgoingQueue::make_block(std::size_t size) const noexcept {
  return OutgoingBlock::make(size, limits_.storage == nullptr ? nullptr : *limits_.storage);
}

// Makes blocks for a message without its first `sent` octets. False: there is no memory.
bool OutgoingQueue::keep(Segments message, std::size_t sent, cdr::Lender* lender,
                         OutgoingBlocks& kept) const noexcept {
  if (lender != nullptr) try {
      const counted_ptr<cdr::PinnedMemory> memory = lender->share();
      if (memory != nullptr) return kept.keep(message, sent, lender->octets(), memory);
    } catch (const std::bad_alloc&) {
      return false;
    }
  OutgoingBlock* const block = make_block(total_size(message) - sent);
  if (block == nullptr) return false;
  block->append(message, sent, 0);
  kept.push_back(*block);
  return true;
}

// Keeps the rest of a message, because the memory of the caller is lent only for the length of the
// send. The rest goes in front of the messages that were queued meanwhile, whatever its size. If
// the transport took no octet, the message waits like any other.
Sent OutgoingQueue::keep_rest(Segments message, std::size_t sent, cdr::Lender* lender) {
  OutgoingBlocks kept;
  if (!keep(message, sent, lender, kept)) {
    fail({0, IoStatus::failed, ENOMEM});
    return {Sent::Status::failed};
  }
  counts_.queued.add(static_cast<std::int64_t>(kept.octets()));
  Ticket ticket = 0;
  {
    const std::lock_guard lock(lock_);
    ticket = queued_.empty() ? submitted_ += ticket_step : queued_.front()->first() - 1;
    kept.set_ticket(ticket);
    if (sent == 0 && sealer_ == nullptr)
      queued_.push_front(kept);
    else
      leaving_.push_front(kept);
  }
  return sent_with_queue(ticket);
}

// Sends the queued messages, among them the message with this ticket.
Sent OutgoingQueue::sent_with_queue(Ticket ticket) {
  const Status status = send_few_queued();
  const bool lost = status == Status::failed && progress(ticket) != Progress::sent;
  return {lost ? Sent::Status::failed : Sent::Status::queued, ticket};
}

// The message waits behind another message, or is held back.
Sent OutgoingQueue::send_later(Segments message, const Hold* hold, Wait wait, Deadline deadline,
                               cdr::Lender* lender) {
  const std::size_t size = total_size(message);
  // A message that reaches the limit alone needs no copy, unless another thread writes.
  if (hold != nullptr && hold->octets != 0 && size >= hold->octets) hold = nullptr;
  OutgoingBlock* spare = nullptr;  // allocated and filled without the lock
  struct Unused {
    OutgoingBlock*& block;
    ~Unused() { OutgoingBlock::destroy(block); }
  } const unused{spare};
  OutgoingBlocks kept;  // likewise, for a message in lent memory
  for (;;) {
    std::unique_lock lock(lock_);
    if (closed_.load() || finishing_) return {Sent::Status::failed};
    const std::uint32_t word = word_.load();
    if (hold == nullptr && state_of(word) == idle_word) {
      const bool had_cork = (word & corked_bit) != 0;
      std::uint32_t expected = word;
      if (!word_.compare_exchange_strong(expected, writing_word)) continue;
      if (had_cork) take_cork();
      lock.unlock();
      if (!had_cork || send_queued(Then::write_own, batches_of_sender_max) == Status::flowing)
        return lender == nullptr ? write_own(message, size, wait, deadline)
                                 : write_shared(message, size, *lender);
      continue;
    }
    const bool holds = state_of(word) == idle_word;
    if (!fits(size)) {
      if (holds) {  // held messages leave before they would exceed the limit
        std::uint32_t expected = word;
        if (!word_.compare_exchange_strong(expected, writing_word)) continue;
        take_cork();
        lock.unlock();
        (void)send_few_queued();
        continue;
      }
      if (wait == Wait::no) return {Sent::Status::full};
      if (!await_change(lock, deadline)) return {Sent::Status::timed_out};
      continue;
    }
    if (lender == nullptr ? append(message, size, spare) : append_kept(size, kept))
      return after_append(lock, hold, size);
    lock.unlock();
    if (lender != nullptr) {
      if (!keep(message, 0, lender, kept)) return {Sent::Status::no_memory};
      continue;
    }
    spare = make_block(size);
    if (spare == nullptr) return {Sent::Status::no_memory};
    if (size > OutgoingBlock::shared_size_max) spare->append(message, 0, 0);
  }
}

// Expects lock_ to be held. The first message may have any size.
bool OutgoingQueue::fits(std::size_t size) const noexcept {
  const bool holds = state_of(word_.load()) == idle_word;
  const std::size_t octets_max = holds ? held_octets_max : limits_.octets_max;
  const std::size_t waiting = queued_.octets();
  return waiting == 0 || (waiting <= octets_max && size <= octets_max - waiting);
}

// Expects lock_ to be held. False if a block is needed.
bool OutgoingQueue::append(Segments message, std::size_t size, OutgoingBlock*& spare) noexcept {
  const Ticket ticket = submitted_ + ticket_step;
  OutgoingBlock* const back = queued_.back();
  const bool shares = size <= OutgoingBlock::shared_size_max && back != nullptr &&
                      back->has_room(size) && back->last() + ticket_step == ticket;
  if (!shares) {
    if (spare == nullptr) return false;
    const bool has_copy = size > OutgoingBlock::shared_size_max;
    if (has_copy)
      spare->set_ticket(ticket);
    else
      spare->append(message, 0, ticket);
    queued_.push_back(*std::exchange(spare, nullptr));
  } else {
    queued_.append(message, size, ticket);
  }
  submitted_ = ticket;
  counts_.queued.add(static_cast<std::int64_t>(size));
  return true;
}

// Under the lock. False if `kept` is not filled yet.
bool OutgoingQueue::append_kept(std::size_t size, OutgoingBlocks& kept) noexcept {
  if (kept.empty()) return false;
  submitted_ += ticket_step;
  kept.set_ticket(submitted_);
  queued_.push_back(kept);
  counts_.queued.add(static_cast<std::int64_t>(size));
  return true;
}

// Called when the message is queued. Makes sure that a thread sends it, or that it is held back.
Sent OutgoingQueue::after_append(std::unique_lock<ShortLock>& lock, const Hold* hold,
                                 std::size_t size) {
  const Sent result{Sent::Status::queued, submitted_};
  for (;;) {
    std::uint32_t word = word_.load();
    const std::uint32_t state = state_of(word);
    if (state == blocked_word) return result;
    if (state == writing_word) {
      if (word_.compare_exchange_strong(word, word | noted_bit)) return result;
      continue;
    }
    // The queue is idle: this thread sends the message, or marks the queue as corked. Other threads
    // may have made the queue idle without the lock.
    if (word_.compare_exchange_strong(word, hold == nullptr ? writing_word : corked_bit)) break;
  }
  if (hold == nullptr) {
    lock.unlock();
    return sent_with_queue(result.ticket);
  }
  held_count_.store(held() + 1, std::memory_order_relaxed);
  held_octets_ += size;
  const bool full = (hold->count != 0 && held() >= hold->count) ||
                    (hold->octets != 0 && held_octets_ >= hold->octets);
  if (!full) return result;
  take_cork();
  word_.store(writing_word);
  lock.unlock();
  return sent_with_queue(result.ticket);
}

// Expects lock_ to be held.
void OutgoingQueue::take_cork() noexcept {
  held_count_.store(0, std::memory_order_relaxed);
  held_octets_ = 0;
}

}  // namespace perigee::engine
