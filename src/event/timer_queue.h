// Timers in order of time: an indexed binary heap, so that cancelling is as cheap as scheduling.
// Looks at no clock. Private to event.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/event/reactor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace perigee::event {

/// Timers of one reactor. Allocates only to grow beyond the most timers it ever held.
///
/// Invariants (`check_invariants`): no entry of the heap is earlier than its parent, and
/// `slots_[heap_[i].slot].position == i` for each i.
class TimerQueue {
 public:
  /// For the past is the same as for when `take_due` was called last: behind all that is due then,
  /// which whoever lags behind and schedules itself again and again must not keep from running.
  TimerId schedule(TimePoint time, Reactor::Task task);
  /// False if there is no such timer any more.
  bool cancel(TimerId timer) noexcept;

  /// When the first timer is due; nothing if there is none.
  [[nodiscard]] std::optional<TimePoint> next() const noexcept;
  /// A mark for `take_due`: timers scheduled from now on are not due for it.
  [[nodiscard]] std::uint64_t mark() const noexcept { return sequence_; }
  /// Takes out the first timer if it is due at `now` and was scheduled before `mark`.
  [[nodiscard]] std::optional<Reactor::Task> take_due(TimePoint now, std::uint64_t mark) noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }

  [[nodiscard]] bool check_invariants() const noexcept;

 private:
  struct Entry {
    TimePoint time;
    std::uint64_t sequence;  ///< orders timers of the same time
    std::uint32_t slot;
  };
  struct Slot {
    Reactor::Task task;
    std::uint32_t generation = 1;  ///< never 0, so that no id is 0
    std::size_t position = 0;      ///< in the heap
  };

  static bool earlier(const Entry& a, const Entry& b) noexcept {
    return a.time != b.time ? a.time < b.time : a.sequence < b.sequence;
  }
  std::uint32_t take_slot();
  void place(std::size_t position, const Entry& entry) noexcept;
  void sift_up(std::size_t position) noexcept;
  void sift_down(std::size_t position) noexcept;
  /// Takes the entry at `position` out of the heap and frees its slot.
  Reactor::Task remove(std::size_t position) noexcept;

  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::uint64_t sequence_ = 0;
  TimePoint latest_ = TimePoint::min();  ///< that `take_due` was called with
};

}  // namespace perigee::event
