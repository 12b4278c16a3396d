// Turns: the work of a thread that runs the reactor.
#include "event/polling_reactor.h"

#include <perigee/base/log.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace perigee::event {
namespace {

/// The length of a nap, which is a short sleep outside of the poller. A thread that finds nothing
/// to do naps if the other threads are quick: waking it for each event would cost more than the
/// event.
constexpr std::chrono::microseconds nap_time{200};

/// A thread that runs the reactor alone, and waits longer than this for a timer, sets the timer
/// handle and waits without a time limit. A time limit costs each wait most of a microsecond;
/// setting the handle is a system call.
constexpr std::chrono::milliseconds timer_handle_worth{20};

/// The state that a thread keeps from one turn of a shared reactor to the next.
struct LastTurn {
  const PollingReactor* reactor = nullptr;
  std::uint64_t number = 0;  ///< counted over the turns of all threads
  bool timed = false;        ///< other threads had turns just before it, so `begin` was set
  std::chrono::steady_clock::time_point begin;
};
thread_local LastTurn last_turn;

}  // namespace

/// An object on the stack of a thread: records that the thread is in a turn of the reactor. Turns
/// may nest.
class PollingReactor::InTurn {
 public:
  explicit InTurn(const PollingReactor& reactor) noexcept
      : reactor_(reactor), outer_(std::exchange(innermost, this)) {}
  ~InTurn() { innermost = outer_; }
  InTurn(const InTurn&) = delete;
  InTurn& operator=(const InTurn&) = delete;

  [[nodiscard]] static bool of(const PollingReactor& reactor) noexcept {
    for (const InTurn* turn = innermost; turn != nullptr; turn = turn->outer_)
      if (&turn->reactor_ == &reactor) return true;
    return false;
  }

 private:
  static thread_local const InTurn* innermost;

  const PollingReactor& reactor_;
  const InTurn* const outer_;
};

thread_local const PollingReactor::InTurn* PollingReactor::InTurn::innermost = nullptr;

bool PollingReactor::is_loop_thread() const noexcept { return InTurn::of(*this); }

void PollingReactor::run() {
  const InTurn in_turn(*this);
  while (!stop_.load(std::memory_order_acquire)) turn(Deadline::never());
  if (!shared()) stop_.store(false, std::memory_order_release);
}

void PollingReactor::run_once(Deadline deadline) {
  const InTurn in_turn(*this);
  turn(deadline);
}

// The inlined case is the frequent one: one event, and no other object waits for a call.
[[gnu::always_inline]] inline PollingReactor::Found PollingReactor::note(
    std::span<const PolledEvent> events) noexcept {
  if (events.size() == 1 && events[0].key < timer_key) [[likely]] {
    const std::lock_guard lock(lock_);
    Pollable* const target = slots_.find(events[0].key);
    if (target != nullptr && ready_.empty()) [[likely]]
      return {PollableList::pass(*target, events[0].readiness), 1, has_entries()};
  }
  return note_all(events);
}

[[gnu::always_inline]] inline void PollingReactor::call(const Event& event) noexcept {
  const bool counted = event.target->counted_ == Pollable::Counted::yes;
  event.target->handle_event(event);
  if (counted) event.target->drop_reference();
}

// Objects that are marked meanwhile wait for the next turn, so that timers and tasks run first. An
// object that is not counted may be destroyed in its call.
[[gnu::always_inline]] inline void PollingReactor::call_ready(Found found) noexcept {
  Event event = found.first;
  for (std::size_t left = found.count; event.target != nullptr; event = take_ready()) {
    if (!shared())
      calls_more_in_turn_ = left > 1;
    else if (found.has_rest)
      wake_for_rest();
    call(event);
    if (--left == 0) return;
  }
}

void PollingReactor::turn(Deadline deadline) {
  EventSpace space;
  call_ready(note(poll(space.events(), deadline)));
  if (has_timers_.load(std::memory_order_relaxed) && !no_timer_is_due_) run_timers();
  if (has_tasks_.load(std::memory_order_acquire)) run_tasks();
  if (shared()) {
    if (stop_.load(std::memory_order_relaxed) && sleepers_.load() != 0)
      wake();  // the next thread returns from `run`
  } else if (has_foreign_loop_.load(std::memory_order_relaxed)) {
    tell_foreign_loop();  // announces the entries that this turn leaves
  }
}

std::span<PolledEvent> PollingReactor::poll(std::span<PolledEvent> events,
                                            Deadline deadline) noexcept {
  if (shared() && deadline > Deadline::immediately()) nap_if_others_are_quick();
  if (!shared()) no_timer_is_due_ = false;
  Deadline first_timer;
  if (!begin_sleep(deadline, first_timer)) return poller_->wait(events, Duration::zero());
  const Duration left = wait_limit(deadline, first_timer);
  const auto found =
      busy_poll_.count() != 0 ? poll_busily(events, left) : poller_->wait(events, left);
  sleepers_.fetch_sub(1);  // before the upcalls: the supervisor must see that this thread is awake
  if (shared() && last_turn.timed) last_turn.begin = std::chrono::steady_clock::now();
  return found;
}

std::span<PolledEvent> PollingReactor::poll_busily(std::span<PolledEvent> events,
                                                   Duration left) noexcept {
  const TimePoint end = steady_clock().now() + busy_poll_;
  do {
    if (const auto found = poller_->wait(events, Duration::zero()); !found.empty()) return found;
  } while (steady_clock().now() < end);
  return poller_->wait(events, left);
}

// False if there is something to do. `first`: the time of the first timer.
bool PollingReactor::begin_sleep(Deadline until, Deadline& first) noexcept {
  if (until == Deadline::immediately()) return false;
  const std::lock_guard lock(lock_);
  if (has_entries() || (shared() && stop_.load())) return false;
  first = timers_.next();
  sleepers_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

// With several threads, the timer handle replaces each thread's own time limit. `first`: the time
// of the first timer when the sleep began; a timer that is armed later wakes the thread.
Duration PollingReactor::wait_limit(Deadline until, Deadline first) noexcept {
  if (!shared() && !first.is_never()) {
    no_timer_is_due_ = timer_handle_wakes(first);
    if (!no_timer_is_due_) until = std::min(until, first);
  }
  return until.is_never() ? Duration::max() : until.left(clock_.now());
}

// Whether a single thread can wait for a timer at `first` without a time limit. It can if the timer
// handle is set for that time, or for an earlier one. The handle runs on the steady clock, so a
// reactor with another clock cannot use it.
bool PollingReactor::timer_handle_wakes(Deadline first) noexcept {
  if (&clock_ != &steady_clock()) return false;
  if (first >= timer_handle_due_.load(std::memory_order_relaxed)) return true;
  if (first.left(clock_.now()) < timer_handle_worth) return false;
  follow_timers();
  return true;
}

// Clears `wake_pending_` before it looks at the lists: a thread that adds an entry later wakes the
// reactor again.
PollingReactor::Found PollingReactor::note_all(std::span<const PolledEvent> events) noexcept {
  for (const PolledEvent& event : events) {
    if (event.key == wake_key) wake_pending_.exchange(false, std::memory_order_acq_rel);
    if (event.key == timer_key && !shared()) {
      timer_handle_due_.store(Deadline::never());
      no_timer_is_due_ = false;
    }
  }
  const std::lock_guard lock(lock_);
  for (const PolledEvent& event : events) {
    if (event.key >= timer_key) continue;
    if (Pollable* const target = slots_.find(event.key)) ready_.note(*target, event.readiness);
  }
  const std::size_t count = ready_.size();
  return {ready_.pop(), count, true};
}

Event PollingReactor::take_ready() noexcept {
  const std::lock_guard lock(lock_);
  return ready_.pop();
}

// Sets the timer handle for the next timer before the last due timer fires. That timer's function
// may take long, and the handle must then wake another thread for the next timer.
void PollingReactor::run_timers() {
  const TimePoint now = clock_.now();
  Timer* timer = nullptr;
  bool is_last = false;
  const auto take = [&] {
    timer = timers_.take_due();
    is_last = !timers_.has_due();
    has_timers_.store(timers_.size() != 0, std::memory_order_relaxed);
  };
  {
    const std::lock_guard lock(lock_);
    timers_.collect(now);
    take();
  }
  for (;;) {
    const bool may_follow = is_last && timer_handle_follows_.load(std::memory_order_relaxed);
    if (may_follow && must_follow(now)) follow_timers();
    if (timer == nullptr) return;
    prepare_task();
    TimerBuckets::fire(*timer);
    const std::lock_guard lock(lock_);
    take();
  }
}

void PollingReactor::run_tasks() {
  const auto take = [this](std::size_t& count) -> Task* {
    const std::lock_guard lock(lock_);
    if (count == 0) count = posted_count_;
    Task* const task = posted_.pop();
    if (task != nullptr) --posted_count_;
    has_tasks_.store(posted_count_ != 0, std::memory_order_relaxed);
    return task;
  };
  std::size_t count = 0;
  while (Task* const task = take(count)) {
    prepare_task();
    TaskList::run(*task);
    if (--count == 0) return;  // tasks that were posted meanwhile wait for the next turn
  }
}

// Naps if this thread's last turn was short, and other threads had turns meanwhile. Only one thread
// naps at a time: another thread must be ready for new events.
void PollingReactor::nap_if_others_are_quick() noexcept {
  LastTurn& last = last_turn;
  const std::uint64_t number = turns_.fetch_add(1, std::memory_order_relaxed) + 1;
  const bool others = last.reactor == this && number - last.number > 1;
  const bool quick = others && last.timed && busy_poll_.count() == 0 &&
                     std::chrono::steady_clock::now() - last.begin < nap_time;
  last.reactor = this;
  last.number = number;
  last.timed = others;
  if (!quick || napping_.exchange(true)) return;
  bool idle = false;
  {
    const std::lock_guard lock(lock_);
    idle = !has_entries();
  }
  if (idle) {
    std::this_thread::sleep_for(nap_time);
  }
  napping_.store(false);
}

bool PollingReactor::has_entries() const noexcept {
  return !ready_.empty() || !posted_.empty() || timers_.has_due();
}

bool PollingReactor::has_work() const noexcept {
  const TimePoint now = clock_.now();
  {
    const std::lock_guard lock(lock_);
    timers_.collect(now);
    if (has_entries()) return true;
  }
  return poller_->has_events();
}

void PollingReactor::leave() noexcept {
  if (shared()) wake_for_rest();
}

void watch_tasks(Reactor& reactor, TaskWatcher& watcher) noexcept {
  static_cast<PollingReactor&>(reactor).set_watcher(watcher);
}

void PollingReactor::prepare_task() noexcept {
  if (!shared()) return;
  if (watcher_ != nullptr && !closed_.load(std::memory_order_relaxed)) watcher_->before_task();
  wake_for_rest();
}

/// A thread that begins a call leaves the other entries to a sleeping thread.
void PollingReactor::wake_for_rest() noexcept {
  if (sleepers_.load(std::memory_order_relaxed) == 0) return;
  bool rest = false;
  {
    const std::lock_guard lock(lock_);
    rest = has_entries();
  }
  if (rest) wake();
}

// The loop ends even if coroutines sleep again and again: on a closed reactor, a sleep ends at once
// without a timer.
void PollingReactor::close() noexcept {
  closed_.store(true);
  const InTurn in_turn(*this);
  for (;;) {
    {
      const std::lock_guard lock(lock_);
      timers_.collect_all();
      if (!timers_.has_due() && posted_.empty()) return;
    }
    try {
      run_timers();
      run_tasks();
    } catch (const std::exception& exception) {
      log::write(log::Level::error, "event", exception.what());
    }
  }
}

}  // namespace perigee::event
