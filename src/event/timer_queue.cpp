// The heap of timers: see the header for the invariants.
#include "event/timer_queue.h"

#include <algorithm>
#include <utility>

namespace perigee::event {

TimerId TimerQueue::schedule(TimePoint time, Reactor::Task task) {
  const std::uint32_t slot = take_slot();
  slots_[slot].task = std::move(task);
  heap_.push_back({});
  place(heap_.size() - 1, {std::max(time, latest_), sequence_++, slot});
  sift_up(heap_.size() - 1);
  return (TimerId{slots_[slot].generation} << 32) | slot;
}

bool TimerQueue::cancel(TimerId timer) noexcept {
  const auto slot = static_cast<std::uint32_t>(timer);
  const auto generation = static_cast<std::uint32_t>(timer >> 32);
  if (slot >= slots_.size() || slots_[slot].generation != generation) return false;
  const auto task = remove(slots_[slot].position);
  return true;
}

std::optional<TimePoint> TimerQueue::next() const noexcept {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().time;
}

std::optional<Reactor::Task> TimerQueue::take_due(TimePoint now, std::uint64_t mark) noexcept {
  latest_ = std::max(latest_, now);
  if (heap_.empty() || heap_.front().time > now || heap_.front().sequence >= mark) {
    return std::nullopt;
  }
  return remove(0);
}

bool TimerQueue::check_invariants() const noexcept {
  for (std::size_t index = 0; index < heap_.size(); ++index) {
    if (index != 0 && earlier(heap_[index], heap_[(index - 1) / 2])) return false;
    if (slots_[heap_[index].slot].position != index) return false;
  }
  return heap_.size() + free_.size() == slots_.size();
}

std::uint32_t TimerQueue::take_slot() {
  if (free_.empty()) {
    slots_.emplace_back();
    free_.reserve(slots_.capacity());  // so that freeing never allocates
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void TimerQueue::place(std::size_t position, const Entry& entry) noexcept {
  heap_[position] = entry;
  slots_[entry.slot].position = position;
}

void TimerQueue::sift_up(std::size_t position) noexcept {
  const Entry entry = heap_[position];
  while (position != 0) {
    const std::size_t parent = (position - 1) / 2;
    if (!earlier(entry, heap_[parent])) break;
    place(position, heap_[parent]);
    position = parent;
  }
  place(position, entry);
}

void TimerQueue::sift_down(std::size_t position) noexcept {
  const Entry entry = heap_[position];
  for (;;) {
    std::size_t child = 2 * position + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && earlier(heap_[child + 1], heap_[child])) ++child;
    if (!earlier(heap_[child], entry)) break;
    place(position, heap_[child]);
    position = child;
  }
  place(position, entry);
}

Reactor::Task TimerQueue::remove(std::size_t position) noexcept {
  Slot& slot = slots_[heap_[position].slot];
  Reactor::Task task = std::move(slot.task);
  slot.task = nullptr;
  if (++slot.generation == 0) slot.generation = 1;
  free_.push_back(heap_[position].slot);
  const Entry last = heap_.back();
  heap_.pop_back();
  if (position != heap_.size()) {
    place(position, last);
    sift_up(position);
    sift_down(slots_[last.slot].position);
  }
  return task;
}

}  // namespace perigee::event
