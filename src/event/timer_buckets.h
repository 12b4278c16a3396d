// The armed timers of a reactor. Looks at no clock, and has no lock. Private to event.
#pragma once

#include <perigee/event/timer.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace perigee::event {

/// A ring of timers with one end mark.
class TimerList {
 public:
  TimerList() noexcept { end_.next_ = end_.previous_ = &end_; }
  TimerList(const TimerList&) = delete;
  TimerList& operator=(const TimerList&) = delete;

  [[nodiscard]] bool empty() const noexcept { return end_.next_ == &end_; }
  void push_back(TimerLink& timer) noexcept {
    timer.previous_ = end_.previous_;
    timer.next_ = &end_;
    end_.previous_->next_ = &timer;
    end_.previous_ = &timer;
  }
  static void erase(TimerLink& timer) noexcept {
    timer.previous_->next_ = timer.next_;
    timer.next_->previous_ = timer.previous_;
    timer.previous_ = timer.next_ = nullptr;
  }
  /// Null if the list is empty.
  [[nodiscard]] Timer* front() const noexcept { return timer_of(end_.next_); }
  /// Null behind the last timer.
  [[nodiscard]] Timer* behind(const TimerLink& timer) const noexcept {
    return timer_of(timer.next_);
  }
  void take_all(TimerList& other) noexcept {
    while (Timer* const timer = other.front()) {
      erase(*timer);
      push_back(*timer);
    }
  }

 private:
  struct End : TimerLink {};
  /// Each link but the end mark is the base of a timer.
  [[nodiscard]] Timer* timer_of(TimerLink* link) const noexcept {
    return link == &end_ ? nullptr : static_cast<Timer*>(link);
  }

  End end_;
};

/// Timers in radix buckets (a monotone radix heap, as Seastar's timer sets): bucket `b` holds the
/// timers whose time differs from `last_` first in bit `b - 1`. Arming and cancelling take constant
/// time. Each timer moves to a lower bucket at most once per bit. Timers fire in order of time, and
/// timers of the same time in the order in which they were armed.
///
/// Invariants (`check_invariants`): each timer is in the bucket of its time; bit `b - 1` of `used_`
/// says whether bucket `b` has timers; no timer is earlier than `next_`, which is never if there is
/// no timer; each due timer's time is not later than `last_`.
class TimerBuckets {
 public:
  TimerBuckets() = default;
  ~TimerBuckets();
  TimerBuckets(const TimerBuckets&) = delete;
  TimerBuckets& operator=(const TimerBuckets&) = delete;

  /// Moves a timer that is armed already. True if it was not armed. A time in the past comes behind
  /// the timers that are due.
  bool arm(Timer& timer, Deadline deadline) noexcept;
  /// False if the timer is not armed.
  bool cancel(Timer& timer) noexcept;

  /// No timer is due before this time. If the first timer was cancelled and others are left, the
  /// time is too early until `collect` is called at that time.
  [[nodiscard]] Deadline next() const noexcept {
    return has_due() ? Deadline::immediately() : next_;
  }
  /// Moves the timers that have passed at `now` behind the due timers, in order.
  void collect(TimePoint now) noexcept;
  /// Moves all timers there, in no order: for the end of the reactor.
  void collect_all() noexcept;
  [[nodiscard]] bool has_due() const noexcept { return !due_.empty(); }
  /// Takes the first due timer out; null if there is none.
  [[nodiscard]] Timer* take_due() noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// The timer must not be armed.
  static void fire(Timer& timer) { timer.fire_(timer); }

  [[nodiscard]] bool check_invariants() const noexcept;

 private:
  static constexpr std::size_t bucket_count = 65;

  /// The order of deadlines as unsigned numbers; `never` is the largest.
  [[nodiscard]] static std::uint64_t number_of(Deadline deadline) noexcept {
    constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    return static_cast<std::uint64_t>(deadline.time().time_since_epoch().count()) ^ sign;
  }
  /// 0: the time is not later than `last_`.
  [[nodiscard]] std::size_t bucket_of(Deadline deadline) const noexcept {
    if (deadline <= last_) return 0;
    return static_cast<std::size_t>(std::bit_width(number_of(deadline) ^ number_of(last_)));
  }
  void put(Timer& timer) noexcept;
  void count_down() noexcept;
  void unlink(Timer& timer) noexcept;
  [[nodiscard]] Deadline first_of(const TimerList& bucket) const noexcept;
  void advance(Deadline now, std::size_t lowest) noexcept;

  std::array<TimerList, bucket_count> buckets_;
  std::uint64_t used_ = 0;  // of the buckets from 1 on
  TimerList due_;
  Deadline last_ = Deadline::immediately();  // all timers were collected that are not later
  Deadline next_;
  Deadline seen_ = Deadline::immediately();  // the latest time that `collect` was called with
  std::size_t size_ = 0;
};

}  // namespace perigee::event
