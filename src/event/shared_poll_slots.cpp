// The state of a slot is one atomic word: generation, owner's mark, what was noted.
#include "event/shared_poll_slots.h"

#include <utility>

namespace perigee::event {
namespace {

constexpr std::uint64_t noted_mask = 0xf;  // the flags of Readiness
constexpr std::uint64_t owned_bit = 0x10;
constexpr std::uint64_t generation_mask = ~std::uint64_t{0xffff'ffff};
constexpr std::uint64_t generation_step = std::uint64_t{1} << 32;

constexpr std::uint32_t index_of(std::uint64_t key) noexcept {
  return static_cast<std::uint32_t>(key);
}

}  // namespace

SharedPollSlots::~SharedPollSlots() {
  for (const auto& chunk : chunks_) delete chunk.load();
}

SharedPollSlots::Slot& SharedPollSlots::slot_of(std::uint64_t key) const noexcept {
  const std::size_t index = index_of(key);
  return (*chunks_[index / chunk_size].load(std::memory_order_acquire))[index % chunk_size];
}

bool SharedPollSlots::add(int fd, SharedHandler& handler) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    if (slot_count_ == chunk_size * chunks_max) return false;
    if (slot_count_ % chunk_size == 0) {
      free_.reserve(slot_count_ + chunk_size);  // so that freeing never allocates
      chunks_[slot_count_ / chunk_size].store(new Chunk, std::memory_order_release);
    }
    free_.push_back(slot_count_++);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = slot_of(index);
  slot.handler = &handler;
  slot.fd = fd;
  slot.writing = WriteInterest::off;
  const std::uint64_t generation = slot.state.load(std::memory_order_relaxed) + generation_step;
  handler.key_ = generation | index;
  slot.state.store(generation, std::memory_order_release);
  return true;
}

void SharedPollSlots::remove(SharedHandler& handler) noexcept {
  Slot& slot = slot_of(handler.key_);
  slot.state.store((handler.key_ & generation_mask) + generation_step, std::memory_order_release);
  const std::lock_guard lock(mutex_);
  free_.push_back(index_of(handler.key_));
}

int SharedPollSlots::fd_of(const SharedHandler& handler) const noexcept {
  return slot_of(handler.key_).fd;
}

bool SharedPollSlots::set_writing(const SharedHandler& handler, WriteInterest interest) noexcept {
  Slot& slot = slot_of(handler.key_);
  return std::exchange(slot.writing, interest) != interest;
}

bool SharedPollSlots::own(std::uint64_t key, Readiness readiness) noexcept {
  Slot& slot = slot_of(key);
  std::uint64_t state = slot.state.load(std::memory_order_acquire);
  std::uint64_t wanted = 0;
  do {
    if ((state & generation_mask) != (key & generation_mask)) return false;  // removed
    wanted = state | owned_bit | static_cast<std::uint64_t>(readiness);
  } while (!slot.state.compare_exchange_weak(state, wanted, std::memory_order_acq_rel,
                                             std::memory_order_acquire));
  return (state & owned_bit) == 0;
}

SharedPoll::Ready SharedPollSlots::take(std::uint64_t key) noexcept {
  Slot& slot = slot_of(key);
  const std::uint64_t state = slot.state.fetch_and(~noted_mask, std::memory_order_acq_rel);
  return {slot.handler, static_cast<Readiness>(state & noted_mask)};
}

bool SharedPollSlots::disown(std::uint64_t key) noexcept {
  std::uint64_t expected = (key & generation_mask) | owned_bit;
  return slot_of(key).state.compare_exchange_strong(
      expected, key & generation_mask, std::memory_order_acq_rel, std::memory_order_relaxed);
}

void SharedPollSlots::push(std::uint64_t key) noexcept {
  const std::lock_guard lock(mutex_);
  push_locked(key);
}

void SharedPollSlots::push_found(std::span<const std::uint64_t> keys) noexcept {
  const std::lock_guard lock(mutex_);
  for (const std::uint64_t key : keys) push_locked(key);
  turns_left_ = ready_count_.load(std::memory_order_relaxed);
}

void SharedPollSlots::push_locked(std::uint64_t key) noexcept {
  const bool empty = ready_count_.load(std::memory_order_relaxed) == 0;
  (empty ? first_ready_ : slot_of(last_ready_).next_ready) = key;
  last_ready_ = key;
  ready_count_.fetch_add(1);
}

SharedPollSlots::Popped SharedPollSlots::pop() noexcept {
  if (!has_ready()) return {};
  const std::lock_guard lock(mutex_);
  const std::size_t count = ready_count_.load(std::memory_order_relaxed);
  if (count == 0) return {};
  if (turns_left_ == 0) {
    turns_left_ = count;
    return {.look_first = true};
  }
  --turns_left_;
  const std::uint64_t key = first_ready_;
  first_ready_ = slot_of(key).next_ready;
  ready_count_.fetch_sub(1);
  return {.found = true, .key = key};
}

}  // namespace perigee::event
