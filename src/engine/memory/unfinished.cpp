// Watches incomplete incoming messages, and output that peers do not read. Closes connections that
// are too slow or take too much memory.
#include "engine/memory/unfinished.h"

#include <algorithm>

namespace perigee::engine {

using messaging::Unfinished;

UnfinishedInput::UnfinishedInput(UnfinishedMessages* registry, UnfinishedOwner& owner) noexcept
    : registry_(registry),
      owner_(owner),
      charge_(registry != nullptr ? &registry->budget() : nullptr, Use::unfinished) {
  if (registry_ != nullptr) registry_->add(*this);
}

UnfinishedInput::~UnfinishedInput() { leave(); }

void UnfinishedInput::leave() noexcept {
  if (registry_ != nullptr) std::exchange(registry_, nullptr)->remove(*this);
}

void UnfinishedInput::begin() noexcept {
  under_way_ = true;
  order_.store(registry_->next_order());
  registry_->begin_watching();
}

// Messages in fragments may overlap for long, so that some message is always unfinished. The octets
// of messages that have become complete still count. Otherwise the pace of the unfinished messages
// would seem slow.
void UnfinishedInput::note(const Unfinished& unfinished) noexcept {
  if (!under_way_) begin();
  std::uint64_t left = unfinished.left;
  const std::uint64_t size_max = registry_->limits().message_size_max;
  if (unfinished.more_follows && unfinished.octets < size_max)
    left = std::max(left, size_max - unfinished.octets);
  if (unfinished.octets < partial_) completed_ += partial_ - unfinished.octets;
  partial_ = unfinished.octets;
  octets_.store(completed_ + partial_, std::memory_order_relaxed);
  left_.store(left, std::memory_order_relaxed);
}

bool UnfinishedInput::grow(const Unfinished& unfinished) noexcept {
  if (registry_ == nullptr) return true;
  note(unfinished);
  if (!charge_.try_set(unfinished.memory) &&
      !(registry_->reclaim() && charge_.try_set(unfinished.memory))) {
    const std::uint64_t wanted = Charge::cost_of(unfinished.memory) - charge_.charged();
    refused_ = registry_->pause_unless_exempt(*this, wanted);
    if (refused_) return false;
    charge_.set(unfinished.memory);
  }
  if (std::exchange(refused_, false)) registry_->end_pause(*this);
  charged_.store(charge_.charged(), std::memory_order_relaxed);
  return true;
}

void UnfinishedInput::grow_anyway(const Unfinished& unfinished) noexcept {
  if (registry_ == nullptr) return;
  note(unfinished);
  charge_.set(unfinished.memory);
  charged_.store(charge_.charged(), std::memory_order_relaxed);
}

void UnfinishedInput::await_room(std::chrono::milliseconds limit) noexcept {
  if (registry_ != nullptr) registry_->await_resumed(*this, limit);
}

void UnfinishedInput::end() noexcept {
  under_way_ = false;
  partial_ = 0;
  completed_ = 0;
  order_.store(0);
  charged_.store(0, std::memory_order_relaxed);
  charge_.set(0);
}

void UnfinishedMessages::add(UnfinishedInput& input) noexcept {
  const std::lock_guard lock(mutex_);
  input.next_ = first_;
  if (first_ != nullptr) first_->previous_ = &input;
  first_ = &input;
}

void UnfinishedMessages::remove(UnfinishedInput& input) noexcept {
  const std::lock_guard lock(mutex_);
  (input.previous_ != nullptr ? input.previous_->next_ : first_) = input.next_;
  if (input.next_ != nullptr) input.next_->previous_ = input.previous_;
  if (input.paused_) --paused_count_;
  if (exempt_ == &input) exempt_ = nullptr;
}

void UnfinishedMessages::wake(std::atomic<bool>& watched) noexcept {
  if (!wake_()) watched.store(false);
}

// The order is stored before `watching_` is read here, and `watch` clears `watching_` before it
// reads the orders. So either `watch` sees the new order, or this function sees `watching_` cleared
// and calls `wake`.
void UnfinishedMessages::begin_watching() noexcept {
  if (!watching_.load() && !watching_.exchange(true)) wake(watching_);
}

// The order of the oldest message; the maximum if there is none. Connections that are charged
// nothing, or are evicted, do not count.
std::uint64_t UnfinishedMessages::oldest_order() const noexcept {
  std::uint64_t oldest = ~std::uint64_t{0};
  for (const UnfinishedInput* input = first_; input != nullptr; input = input->next_) {
    const std::uint64_t order = input->order_.load();
    if (order != 0 && input->charged_.load() != 0 && !input->is_evicted())
      oldest = std::min(oldest, order);
  }
  return oldest;
}

// The message that the budget does not limit now; null if there is none. An evicted connection
// reads no more, but stays in the registry until its upcalls have ended. Another message becomes
// exempt before that.
const UnfinishedInput* UnfinishedMessages::exempt() const noexcept {
  const bool is_valid =
      exempt_ != nullptr && exempt_->order_.load() == exempt_order_ && !exempt_->is_evicted();
  return is_valid ? exempt_ : nullptr;
}

// The message that began first is exempt from the budget, so that some message always continues. It
// stays exempt until it is complete, or its connection has ended. Until then no other message
// becomes exempt, not even an older one. There may be an older message, because messages without
// charged octets do not count when the exempt message is chosen.
bool UnfinishedMessages::may_be_exempt(const UnfinishedInput& input,
                                       std::uint64_t oldest) const noexcept {
  if (const UnfinishedInput* const present = exempt()) return present == &input;
  return input.order_.load() <= oldest;
}

// Reads the orders of all connections only if no message is exempt. A paused connection may call
// this again, for example every 100 ms while its reading thread waits for room. Then only the
// wanted size is stored: `make_room` decides about all paused connections at once.
bool UnfinishedMessages::pause_unless_exempt(UnfinishedInput& input,
                                             std::uint64_t wanted) noexcept {
  const std::lock_guard lock(mutex_);
  if (input.is_evicted()) return true;
  input.wanted_ = wanted;
  if (input.paused_) return true;
  if (may_be_exempt(input, exempt() == nullptr ? oldest_order() : 0)) {
    exempt_ = &input;
    exempt_order_ = input.order_.load();
    return false;
  }
  const TimePoint now = clock_.now();
  input.paused_ = true;
  input.paused_since_ = now;
  ++paused_count_;
  if (!std::exchange(is_full_, true)) full_since_ = now;
  wake(watching_);
  return true;
}

void UnfinishedMessages::await_resumed(UnfinishedInput& input,
                                       std::chrono::milliseconds limit) noexcept {
  std::unique_lock lock(mutex_);
  (void)resumed_.wait_for(lock, limit, [&] { return !input.paused_ || input.is_evicted(); });
}

void UnfinishedMessages::end_pause(UnfinishedInput& input) noexcept {
  const std::lock_guard lock(mutex_);
  if (std::exchange(input.paused_, false)) --paused_count_;
}

TimePoint UnfinishedMessages::watch(TimePoint now) noexcept {
  watching_.store(false);
  const std::lock_guard lock(mutex_);
  const bool output_is_short = watch_output(now);
  bool under_way = false;
  for (UnfinishedInput* input = first_; input != nullptr; input = input->next_) {
    if (input->order_.load() == 0) continue;
    under_way = true;
    watch_one(*input, now);
  }
  if (paused_count_ == 0) is_full_ = false;
  if (under_way) watching_.store(true);
  if (paused_count_ != 0) make_room(now);
  if (paused_count_ != 0 || output_is_short) return now + paused_period;
  return under_way ? now + period : TimePoint::max();
}

// The octets are charged before `output_watched_` is read here, and `watch_output` clears
// `output_watched_` before it looks at the budget. So either `watch_output` sees the octets, or
// this function sees `output_watched_` cleared and calls `wake`.
void UnfinishedMessages::begin_watching_output() noexcept {
  if (!output_watched_.load() && !output_watched_.exchange(true)) wake(output_watched_);
}

// True while the memory for output is used up. Peers have `pause_max` to make room by reading;
// after that time, one connection is closed.
bool UnfinishedMessages::watch_output(TimePoint now) noexcept {
  output_watched_.store(false);
  if (!budget_->is_full_for(Use::unsent, 0)) {
    output_full_since_.reset();
    return false;
  }
  output_watched_.store(true);
  if (output_full_since_) {
    const Duration elapsed = now - *output_full_since_;
    if (elapsed < limits_.pause_max) return true;
    if (UnfinishedInput* const last = last_to_drain(elapsed)) evict(*last, Eviction::unread);
  }
  output_full_since_ = now;
  for (UnfinishedInput* input = first_; input != nullptr; input = input->next_)
    input->drained_ = input->owner_.waiting_output().drained;
  return true;
}

// The connection whose peer would take longest to read its output. A connection that is charged
// nothing is not closed: it would free nothing.
UnfinishedInput* UnfinishedMessages::last_to_drain(Duration elapsed) noexcept {
  UnfinishedInput* last = nullptr;
  Duration longest = Duration::min();
  for (UnfinishedInput* input = first_; input != nullptr; input = input->next_) {
    const WaitingOutput output = input->owner_.waiting_output();
    if (Charge::cost_of(output.queued) == 0 || input->is_evicted()) continue;
    Pace pace;
    pace.begin(TimePoint{}, input->drained_);
    const Duration expected = pace.expected(TimePoint{} + elapsed, output.drained, output.queued);
    if (expected <= longest) continue;
    longest = expected;
    last = input;
  }
  return last;
}

void UnfinishedMessages::watch_one(UnfinishedInput& input, TimePoint now) noexcept {
  const std::uint64_t order = input.order_.load();
  if (std::exchange(input.seen_, order) != order)
    input.pace_.begin(input.paused_ ? input.paused_since_ : now, 0);
  if (input.paused_ || input.is_evicted()) return;
  if (input.pace_.is_too_slow(now, input.octets_.load(), limits_.pace) &&
      !input.owner_.has_unread_input())
    evict(input, Eviction::slow);
}

// Called while connections are paused.
void UnfinishedMessages::make_room(TimePoint now) noexcept {
  if (now - full_since_ >= limits_.pause_max) {
    full_since_ = now;
    if (UnfinishedInput* const last = last_to_complete(now)) evict(*last, Eviction::memory);
  }
  const std::uint64_t oldest = oldest_order();
  const std::uint64_t charged = budget_->charged(Use::unfinished);
  const std::uint64_t limit = budget_->limit(Use::unfinished);
  std::uint64_t room = limit - std::min(charged, limit);
  for (UnfinishedInput* input = first_; input != nullptr; input = input->next_) {
    if (!input->paused_) continue;
    const bool fits = input->wanted_ <= room;
    if (!fits && !may_be_exempt(*input, oldest)) continue;
    if (fits) room -= input->wanted_;
    resume(*input, now);
  }
}

// The connection whose message would be complete last, without the connections of the exempt
// message and of the oldest message. A connection that is charged nothing is not closed: it would
// free nothing.
UnfinishedInput* UnfinishedMessages::last_to_complete(TimePoint now) const noexcept {
  UnfinishedInput* last = nullptr;
  const std::uint64_t oldest = oldest_order();
  const UnfinishedInput* const spared = exempt();
  Duration longest = Duration::min();
  for (UnfinishedInput* input = first_; input != nullptr; input = input->next_) {
    if (input == spared || input->order_.load() <= oldest) continue;
    if (input->charged_.load() == 0 || input->is_evicted()) continue;
    const TimePoint until = input->paused_ ? input->paused_since_ : now;
    const Duration expected =
        input->pace_.expected(until, input->octets_.load(), input->left_.load());
    if (expected > longest) {
      longest = expected;
      last = input;
    }
  }
  return last;
}

// The peer has not caused the pause, so the time of the pause does not count in its pace.
void UnfinishedMessages::resume(UnfinishedInput& input, TimePoint now) noexcept {
  input.paused_ = false;
  --paused_count_;
  input.pace_.postpone(now - input.paused_since_);
  input.owner_.resume_input();
  resumed_.notify_all();
}

void UnfinishedMessages::evict(UnfinishedInput& input, Eviction reason) noexcept {
  input.evicted_.store(true);
  evictions_.fetch_add(1, std::memory_order_relaxed);
  if (std::exchange(input.paused_, false)) --paused_count_;
  input.owner_.evict(reason);
  resumed_.notify_all();
}

}  // namespace perigee::engine
