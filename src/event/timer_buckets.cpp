// Radix buckets of timers. The header has the invariants.
#include "event/timer_buckets.h"

#include <algorithm>

namespace perigee::event {

TimerBuckets::~TimerBuckets() {
  for (TimerList& bucket : buckets_)
    while (Timer* const timer = bucket.front()) TimerList::erase(*timer);
  while (Timer* const timer = due_.front()) TimerList::erase(*timer);
}

void TimerBuckets::put(Timer& timer) noexcept {
  const std::size_t bucket = bucket_of(timer.deadline_);
  buckets_[bucket].push_back(timer);
  if (bucket != 0) used_ |= std::uint64_t{1} << (bucket - 1);
}

// A due timer is not later than `last_`, like a timer of bucket 0: `used_` has no bit for it.
void TimerBuckets::unlink(Timer& timer) noexcept {
  TimerList::erase(timer);
  const std::size_t bucket = bucket_of(timer.deadline_);
  if (bucket != 0 && buckets_[bucket].empty()) used_ &= ~(std::uint64_t{1} << (bucket - 1));
}

bool TimerBuckets::arm(Timer& timer, Deadline deadline) noexcept {
  const bool was_armed = timer.next_ != nullptr;
  if (was_armed)
    unlink(timer);
  else
    ++size_;
  timer.deadline_ = std::max(deadline, seen_);
  put(timer);
  next_ = std::min(next_, timer.deadline_);
  return !was_armed;
}

// Without timers, `next_` must not keep the time of a cancelled timer: a timer that is armed later
// would not count as the first one.
void TimerBuckets::count_down() noexcept {
  if (--size_ == 0) next_ = Deadline::never();
}

bool TimerBuckets::cancel(Timer& timer) noexcept {
  if (timer.next_ == nullptr) return false;
  unlink(timer);
  count_down();
  return true;
}

Deadline TimerBuckets::first_of(const TimerList& bucket) const noexcept {
  Deadline first;
  for (const Timer* timer = bucket.front(); timer != nullptr; timer = bucket.behind(*timer))
    first = std::min(first, timer->deadline_);
  return first;
}

// Only the lowest bucket can hold times that share their highest bits with the new `last_`: the
// other buckets keep their timers.
void TimerBuckets::advance(Deadline now, std::size_t lowest) noexcept {
  const bool splits = bucket_of(now) == lowest;
  last_ = now;
  if (!splits) return;
  used_ &= ~(std::uint64_t{1} << (lowest - 1));
  TimerList moved;
  moved.take_all(buckets_[lowest]);
  while (Timer* const timer = moved.front()) {
    TimerList::erase(*timer);
    put(*timer);
  }
}

void TimerBuckets::collect(TimePoint now) noexcept {
  seen_ = std::max(seen_, Deadline::at(now));
  if (!next_.passed(now)) return;
  due_.take_all(buckets_[0]);
  next_ = Deadline::never();
  while (used_ != 0) {
    const auto lowest = static_cast<std::size_t>(std::countr_zero(used_)) + 1;
    const Deadline first = first_of(buckets_[lowest]);
    if (!first.passed(now)) {
      next_ = first;
      if (const Deadline passed = Deadline::at(now); passed > last_) advance(passed, lowest);
      return;
    }
    advance(first, lowest);
    due_.take_all(buckets_[0]);
  }
  last_ = std::max(last_, Deadline::at(now));
}

void TimerBuckets::collect_all() noexcept {
  due_.take_all(buckets_[0]);
  while (used_ != 0) {
    const auto lowest = static_cast<std::size_t>(std::countr_zero(used_)) + 1;
    due_.take_all(buckets_[lowest]);
    used_ &= used_ - 1;
  }
  next_ = Deadline::never();
}

Timer* TimerBuckets::take_due() noexcept {
  Timer* const timer = due_.front();
  if (timer == nullptr) return nullptr;
  TimerList::erase(*timer);
  count_down();
  return timer;
}

bool TimerBuckets::check_invariants() const noexcept {
  if (size_ == 0 && !next_.is_never()) return false;
  std::size_t count = 0;
  for (std::size_t bucket = 0; bucket < bucket_count; ++bucket) {
    const TimerList& timers = buckets_[bucket];
    for (const Timer* timer = timers.front(); timer != nullptr; timer = timers.behind(*timer)) {
      if (bucket_of(timer->deadline_) != bucket || timer->deadline_ < next_) return false;
      ++count;
    }
    if (bucket != 0 && timers.empty() == ((used_ >> (bucket - 1)) & 1)) return false;
  }
  for (const Timer* timer = due_.front(); timer != nullptr; timer = due_.behind(*timer)) {
    if (timer->deadline_ > last_) return false;
    ++count;
  }
  return count == size_;
}

}  // namespace perigee::event
