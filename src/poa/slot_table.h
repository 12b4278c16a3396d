// A table of slots with generations: constant-time look-up by (index, generation), and a count of
// users for each slot. The value of a slot is released only when it has no users. Knows nothing of
// objects.
//
// Invariant per slot: its value is set <=> active or users > 0. A reference (index, generation)
// that was once removed never finds anything again: after its last generation, a slot retires.
#pragma once

#include "base/undo.h"

#include <array>
#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace perigee::poa {

/// The place of a value: its slot, and its number among the successive values of the slot.
/// Generation 0 is never used.
struct SlotRef {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  friend bool operator==(const SlotRef&, const SlotRef&) = default;
};

struct SlotRefHash {
  std::size_t operator()(const SlotRef& ref) const noexcept {
    return std::hash<std::uint64_t>()(std::uint64_t{ref.generation} << 32 | ref.index);
  }
};

/// Any thread. Looking up costs two atomic operations and takes no lock; inserting locks. T is
/// default constructible and movable. The thread that ends the last use of a value destroys it,
/// outside all locks.
template <typename T>
class SlotTable {
  struct Slot;

 public:
  /// Keeps a slot's value in place. Null if nothing was found.
  class Pin {
   public:
    Pin() noexcept = default;
    Pin(Pin&& other) noexcept
        : table_(other.table_), slot_(std::exchange(other.slot_, nullptr)), ref_(other.ref_) {}
    Pin& operator=(Pin&& other) noexcept {
      Pin old(std::move(*this));
      table_ = other.table_;
      slot_ = std::exchange(other.slot_, nullptr);
      ref_ = other.ref_;
      return *this;
    }
    ~Pin() { reset(); }

    void reset() noexcept {
      if (slot_ != nullptr) table_->unpin(*std::exchange(slot_, nullptr), ref_.index);
    }
    explicit operator bool() const noexcept { return slot_ != nullptr; }
    T& operator*() const noexcept { return slot_->value; }
    T* operator->() const noexcept { return &slot_->value; }
    [[nodiscard]] SlotRef ref() const noexcept { return ref_; }
    /// Another pin of the same value, also if it was removed meanwhile.
    [[nodiscard]] Pin share() const noexcept {
      if (slot_ == nullptr) return {};
      slot_->state.fetch_add(1, std::memory_order_relaxed);
      return Pin(*table_, *slot_, ref_);
    }

   private:
    friend class SlotTable;
    Pin(SlotTable& table, Slot& slot, SlotRef ref) noexcept
        : table_(&table), slot_(&slot), ref_(ref) {}

    SlotTable* table_ = nullptr;
    Slot* slot_ = nullptr;
    SlotRef ref_;
  };

  /// `first_generation` above 1 is for tests of the last generation.
  explicit SlotTable(std::uint32_t slots_max, std::uint32_t first_generation = 1) noexcept
      : slots_max_(slots_max), first_generation_(first_generation) {}
  SlotTable(const SlotTable&) = delete;
  SlotTable& operator=(const SlotTable&) = delete;
  ~SlotTable() {
    for (auto& chunk : chunks_) delete[] chunk.load(std::memory_order_relaxed);
  }

  /// Empty if `slots_max` slots are in use or retired. `fill` gets the place, and writes the value
  /// before any thread can find it. If it throws, the slot is free again.
  template <typename Fill>
  std::optional<SlotRef> insert(Fill&& fill) {
    const std::optional<std::uint32_t> index = take_free_slot();
    if (!index) return std::nullopt;
    Slot& slot = *find(*index);
    Undo taken([&] { reclaim(slot, *index); });
    const auto generation = generation_of(slot.state.load(std::memory_order_relaxed));
    const SlotRef ref{*index, generation};
    fill(slot.value, ref);
    taken.keep();
    slot.state.store(pack(generation) | active_bit, std::memory_order_release);
    return ref;
  }

  /// Any value of `ref` is allowed: it may come from the network.
  [[nodiscard]] Pin pin(SlotRef ref) noexcept {
    Slot* slot = find(ref.index);
    if (slot == nullptr) return {};
    std::uint64_t state = slot->state.load(std::memory_order_relaxed);
    do {
      if (generation_of(state) != ref.generation || (state & active_bit) == 0) return {};
      if ((state & users_mask) == users_mask) return {};
      // Sequentially consistent. One thread closes a gate (POAManager) and then looks at the users.
      // Another thread becomes a user and then looks at the gate. At least one of them must see the
      // change.
    } while (!slot->state.compare_exchange_weak(state, state + 1, std::memory_order_seq_cst,
                                                std::memory_order_relaxed));
    return Pin(*this, *slot, ref);
  }

  /// Removes the value: it is not found any more. It is destroyed now, or by its last user. False
  /// if it was removed before.
  bool remove(SlotRef ref) noexcept {
    Slot* slot = find(ref.index);
    if (slot == nullptr) return false;
    std::uint64_t state = slot->state.load(std::memory_order_relaxed);
    do {
      if (generation_of(state) != ref.generation || (state & active_bit) == 0) return false;
    } while (!slot->state.compare_exchange_weak(
        state, state & ~active_bit, std::memory_order_acq_rel, std::memory_order_relaxed));
    if ((state & users_mask) == 0) reclaim(*slot, ref.index);
    return true;
  }

  /// Blocks until the slot has no users, or holds another value.
  void wait_until_idle(SlotRef ref) {
    Slot* slot = find(ref.index);
    if (slot == nullptr) return;
    std::unique_lock lock(mutex_);
    for (;;) {
      const std::uint64_t state = slot->state.fetch_or(watched_bit, std::memory_order_seq_cst);
      if (generation_of(state) != ref.generation || (state & users_mask) == 0) break;
      idle_.wait(lock);
    }
  }

 private:
  // Bits of a slot's state: generation (32 bits), active, watched, users (30 bits).
  static constexpr std::uint64_t active_bit = std::uint64_t{1} << 31;
  static constexpr std::uint64_t watched_bit = std::uint64_t{1} << 30;
  static constexpr std::uint64_t users_mask = watched_bit - 1;
  static constexpr std::uint32_t first_chunk_size = 64;

  struct Slot {
    std::atomic<std::uint64_t> state{0};
    T value{};
  };

  static constexpr std::uint64_t pack(std::uint32_t generation) noexcept {
    return std::uint64_t{generation} << 32;
  }
  static constexpr std::uint32_t generation_of(std::uint64_t state) noexcept {
    return static_cast<std::uint32_t>(state >> 32);
  }
  // Chunk n holds 64 << n slots, and begins at slot 64 * (2^n - 1).
  static constexpr std::uint32_t chunk_of(std::uint32_t index) noexcept {
    return static_cast<std::uint32_t>(
        std::bit_width((std::uint64_t{index} + first_chunk_size) / first_chunk_size) - 1);
  }
  static constexpr std::uint64_t chunk_start(std::uint32_t chunk) noexcept {
    return first_chunk_size * ((std::uint64_t{1} << chunk) - 1);
  }

  Slot* find(std::uint32_t index) noexcept {
    const std::uint32_t chunk = chunk_of(index);
    if (chunk >= chunks_.size()) return nullptr;
    Slot* slots = chunks_[chunk].load(std::memory_order_acquire);
    return slots == nullptr ? nullptr : slots + (index - chunk_start(chunk));
  }

  std::optional<std::uint32_t> take_free_slot() {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      const std::uint32_t index = free_.back();
      free_.pop_back();
      return index;
    }
    if (slots_made_ >= slots_max_) return std::nullopt;
    const std::uint32_t index = slots_made_;
    const std::uint32_t chunk = chunk_of(index);
    if (chunk >= chunks_.size()) return std::nullopt;
    // Reserves room for all slots, so that giving a slot back cannot fail. Doubles the room, since
    // reserving exactly one more place would allocate for each new slot.
    if (free_.capacity() <= index) free_.reserve(2 * std::size_t{index} + 1);
    if (index == chunk_start(chunk))
      chunks_[chunk].store(new Slot[std::size_t{first_chunk_size} << chunk],
                           std::memory_order_release);
    ++slots_made_;
    find(index)->state.store(pack(first_generation_), std::memory_order_relaxed);
    return index;
  }

  void unpin(Slot& slot, std::uint32_t index) noexcept {
    const std::uint64_t before = slot.state.fetch_sub(1, std::memory_order_acq_rel);
    if ((before & users_mask) != 1) return;
    if ((before & active_bit) == 0) reclaim(slot, index);
    if ((before & watched_bit) != 0) {
      const std::lock_guard lock(mutex_);
      slot.state.fetch_and(~watched_bit,
                           std::memory_order_relaxed);  // threads that still wait set it again
      idle_.notify_all();
    }
  }

  // One thread comes here for each value of a slot: the thread that saw it inactive and unused.
  void reclaim(Slot& slot, std::uint32_t index) noexcept {
    T dead = std::exchange(slot.value, T{});
    const auto generation = generation_of(slot.state.load(std::memory_order_relaxed));
    const std::lock_guard lock(mutex_);
    if (generation == std::numeric_limits<std::uint32_t>::max()) {
      slot.state.store(0, std::memory_order_release);  // retired: generation 0 is never asked for
    } else {
      slot.state.store(pack(generation + 1), std::memory_order_release);
      free_.push_back(index);
    }
    idle_.notify_all();
    // `dead` was declared before the lock, so it is destroyed after the lock is given back.
  }

  const std::uint32_t slots_max_;
  const std::uint32_t first_generation_;
  std::array<std::atomic<Slot*>, 26> chunks_{};  // 2^32 - 64 slots
  std::mutex mutex_;
  std::condition_variable idle_;
  std::vector<std::uint32_t> free_;  // guarded by mutex_
  std::uint32_t slots_made_ = 0;     // guarded by mutex_
};

}  // namespace perigee::poa
