// The armed timers of a reactor. Has no clock and no lock. Private to event.
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
  /// The first timer; null if the list is empty.
  [[nodiscard]] Timer* front() const noexcept { return timer_of(end_.next_); }
  /// The timer after `timer`; null at the end of the list.
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
  /// Each link except the end mark is the base of a timer.
  [[nodiscard]] Timer* timer_of(TimerLink* link) const noexcept {
    return link == &end_ ? nullptr : static_cast<Timer*>(link);
  }

  End end_;
};

/// Timers in radix buckets (a monotone radix heap, as in Seastar's timer sets). Bucket `b` holds
/// the timers for which bit `b - 1` is the highest bit in which their time differs from `last_`;
/// bucket 0 holds the timers whose time is not later than `last_`. Arming and cancelling take
/// constant time. Each timer moves to a lower bucket at most once per bit. Timers fire in order of
/// time, and timers of the same time in the order in which they were armed.
///
/// Invariants (`check_invariants`):
/// - each timer is in the bucket of its time;
/// - bit `b - 1` of `used_` says whether bucket `b` has timers, for `b` from 1 on;
/// - no timer is earlier than `next_`, which is `never` if there is no timer;
/// - the time of each due timer is not later than `last_`.
class TimerBuckets {
 public:
  TimerBuckets() = default;
  ~TimerBuckets();
  TimerBuckets(const TimerBuckets&) = delete;
  TimerBuckets& operator=(const TimerBuckets&) = delete;

  /// Arms the timer, or moves it if it is armed already. True if it was not armed. A time before
  /// the last `collect` becomes the time of that call: the next `collect` makes the timer due.
  bool arm(Timer& timer, Deadline deadline) noexcept;
  /// False if the timer is not armed.
  bool cancel(Timer& timer) noexcept;

  /// No timer is due before this time. After the first timer was cancelled, the result may be too
  /// early, until `collect` is called with this result or a later time.
  [[nodiscard]] Deadline next() const noexcept {
    return has_due() ? Deadline::immediately() : next_;
  }
  /// Appends the timers whose time is not later than `now` to the due timers, in order.
  void collect(TimePoint now) noexcept;
  /// Moves all timers to the due timers, in no order: for the end of the reactor.
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
  std::uint64_t used_ = 0;  // the buckets from 1 on that have timers, one bit each
  TimerList due_;
  Deadline last_ = Deadline::immediately();  // all timers up to this time were collected
  Deadline next_;
  Deadline seen_ = Deadline::immediately();  // the latest time that was passed to `collect`
  std::size_t size_ = 0;
};

}  // namespace perigee::event
