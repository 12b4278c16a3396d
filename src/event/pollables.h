// The lists of a reactor's objects: the registered objects, and the objects that wait for a call.
// Guarded by the reactor's lock. Private to event.
#pragma once

#include <perigee/event/reactor.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perigee::event {

/// The objects that wait for a call, as an intrusive list. Invariant: an object is in the list if
/// and only if its `noted_` is not 0. Each entry holds a reference if the object is counted.
class PollableList {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  /// Appends the object if it is not in the list yet.
  void note(Pollable& pollable, Readiness readiness) noexcept {
    push(pollable, static_cast<std::uint32_t>(readiness));
  }
  void mark(Pollable& pollable) noexcept { push(pollable, marked); }
  /// True if the object was in the list only for its mark. Then the caller takes over its
  /// reference.
  [[nodiscard]] bool unmark(Pollable& pollable) noexcept {
    if (pollable.noted_ == marked) return erase(pollable);
    pollable.noted_ &= ~marked;
    return false;
  }
  /// False if the object was not in the list. Otherwise the caller takes over its reference.
  [[nodiscard]] bool erase(Pollable& pollable) noexcept {
    if (pollable.noted_ == 0) return false;
    pollable.noted_ = 0;
    (pollable.previous_ != nullptr ? pollable.previous_->next_ : first_) = pollable.next_;
    (pollable.next_ != nullptr ? pollable.next_->previous_ : last_) = pollable.previous_;
    --size_;
    return true;
  }
  /// The result of `note` on an empty list and a following `pop`, without use of a list.
  [[nodiscard]] static Event pass(Pollable& pollable, Readiness readiness) noexcept {
    if (pollable.counted_ == Pollable::Counted::yes) pollable.add_reference();
    return {&pollable, readiness, {}};
  }
  /// The target is null if the list is empty. The caller takes over the reference.
  [[nodiscard]] Event pop() noexcept {
    Pollable* const first = first_;
    if (first == nullptr) return {};
    auto readiness = static_cast<Readiness>(first->noted_ & ~marked);
    if ((first->noted_ & marked) != 0) readiness = readiness | Readiness::readable;
    static_cast<void>(erase(*first));
    return {first, readiness, {}};
  }

 private:
  static constexpr std::uint32_t marked = std::uint32_t{1} << 31;

  void push(Pollable& pollable, std::uint32_t what) noexcept {
    const bool listed = pollable.noted_ != 0;
    pollable.noted_ |= what;
    if (listed) return;
    if (pollable.counted_ == Pollable::Counted::yes) pollable.add_reference();
    pollable.next_ = nullptr;
    pollable.previous_ = last_;
    (last_ != nullptr ? last_->next_ : first_) = &pollable;
    last_ = &pollable;
    ++size_;
  }

  Pollable* first_ = nullptr;
  Pollable* last_ = nullptr;
  std::size_t size_ = 0;
};

struct PollableSlot {
  Pollable* pollable = nullptr;
  std::uint32_t generation = 0;
  std::uint32_t next_free = 0;
};

/// Keys for registered objects. A key contains a generation: if an object was removed after an
/// event was fetched, the key of that event finds nothing.
class PollableSlots {
 public:
  using Slots = std::vector<PollableSlot>;

  /// Whether `add` needs more slots first.
  [[nodiscard]] bool full() const noexcept;
  [[nodiscard]] std::size_t size() const noexcept;
  /// Moves the slots into a larger array, which the caller made without the lock. Then `larger` is
  /// the old array.
  void grow(Slots& larger) noexcept;

  /// The key for the poller. There must be a free slot.
  std::uint64_t add(int fd, Pollable& pollable) noexcept;
  void remove(Pollable& pollable) noexcept;
  [[nodiscard]] static bool has(const Pollable& pollable) noexcept {
    return pollable.slot_ != PollableState::no_slot;
  }
  [[nodiscard]] std::uint64_t key_of(const Pollable& pollable) const noexcept;
  /// Null if the object was removed.
  [[nodiscard]] Pollable* find(std::uint64_t key) const noexcept {
    const PollableSlot& slot = slots_[static_cast<std::uint32_t>(key)];
    return slot.generation == static_cast<std::uint32_t>(key >> 32) ? slot.pollable : nullptr;
  }

 private:
  Slots slots_;
  std::uint32_t free_ = PollableState::no_slot;  // the first of a list of free slots
};

}  // namespace perigee::event
