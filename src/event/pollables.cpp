// Slots of registered objects.
#include "event/pollables.h"

#include <algorithm>
#include <utility>

namespace perigee::event {

bool PollableSlots::full() const noexcept { return free_ == PollableState::no_slot; }

std::size_t PollableSlots::size() const noexcept { return slots_.size(); }

void PollableSlots::grow(Slots& larger) noexcept {
  std::ranges::copy(slots_, larger.begin());
  for (std::size_t slot = slots_.size(); slot < larger.size(); ++slot)
    larger[slot].next_free = std::exchange(free_, static_cast<std::uint32_t>(slot));
  slots_.swap(larger);
}

std::uint64_t PollableSlots::add(int fd, Pollable& pollable) noexcept {
  PollableSlot& slot = slots_[free_];
  pollable.slot_ = std::exchange(free_, slot.next_free);
  pollable.fd_ = fd;
  pollable.wants_writable_ = false;
  slot.pollable = &pollable;
  ++slot.generation;
  return key_of(pollable);
}

void PollableSlots::remove(Pollable& pollable) noexcept {
  PollableSlot& slot = slots_[pollable.slot_];
  slot.pollable = nullptr;
  ++slot.generation;
  slot.next_free = std::exchange(free_, std::exchange(pollable.slot_, PollableState::no_slot));
}

std::uint64_t PollableSlots::key_of(const Pollable& pollable) const noexcept {
  return (std::uint64_t{slots_[pollable.slot_].generation} << 32) | pollable.slot_;
}

}  // namespace perigee::event
