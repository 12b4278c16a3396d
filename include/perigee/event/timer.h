// Timer: work that a reactor does at a deadline. A timer lives in the object that it works for.
#pragma once

#include <perigee/base/deadline.h>

namespace perigee::event {

/// A timer's place in a list of timers.
class TimerLink {
 public:
  TimerLink(const TimerLink&) = delete;
  TimerLink& operator=(const TimerLink&) = delete;

 protected:
  TimerLink() = default;
  ~TimerLink() = default;

 private:
  friend class TimerBuckets;
  friend class TimerList;
  TimerLink* next_ = nullptr;  // not null: the timer is armed
  TimerLink* previous_ = nullptr;
};

/// The object that a timer works for has the timer as a base or as a member (see MemberTimer).
/// `fire` gets the timer and finds the object by a static_cast. Arming a timer allocates nothing.
/// An armed timer must not be destroyed: either it holds a reference to its owner while it is
/// armed, or the owner cancels it first.
class Timer : public TimerLink {
 protected:
  /// `fire` is called on a thread that runs the reactor, without locks. It may destroy the timer,
  /// or arm it again.
  explicit Timer(void (*fire)(Timer&)) noexcept : fire_(fire) {}
  ~Timer() = default;

 private:
  friend class TimerBuckets;
  Deadline deadline_;
  void (*const fire_)(Timer&);
};

/// A timer that calls a member function of the object that it is a member of.
template <typename Owner, auto function>
class MemberTimer final : public Timer {
 public:
  explicit MemberTimer(Owner& owner) noexcept : Timer(&fired), owner_(owner) {}

 private:
  static void fired(Timer& timer) { (static_cast<MemberTimer&>(timer).owner_.*function)(); }

  Owner& owner_;
};

}  // namespace perigee::event
