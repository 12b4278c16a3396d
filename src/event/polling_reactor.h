// The reactor over a poller, for one thread or several. Private to event: users call make_reactor.
#pragma once

#include "event/functions.h"
#include "event/pollables.h"
#include "event/poller.h"
#include "event/task_list.h"
#include "event/task_watcher.h"
#include "event/timer_buckets.h"
#include <perigee/base/short_lock.h>
#include <perigee/event/reactor.h>
#include <perigee/event/signal.h>
#include <perigee/ipc/handle.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

namespace perigee::event {

/// In one turn a thread gets events from the poller, then handles the objects that wait for a call,
/// the due timers and the posted tasks, in this order. Each of these three is a list of the
/// reactor, not of the turn. A thread takes one entry at a time, and wakes a sleeping thread if
/// entries are left. So no entry waits behind a long call while a thread is free. A nested turn
/// takes the entries that the outer turn has left, and no entry is called twice.
///
/// Lock order: `add_mutex_`, `timer_handle_mutex_`, then `lock_`. Under `lock_` no handler, timer
/// or task is called, and no system call is made.
class PollingReactor final : public Reactor {
 public:
  PollingReactor(const Clock& clock, std::unique_ptr<Poller> poller, Signal wake,
                 std::chrono::microseconds busy_poll, Threads threads) noexcept;
  ~PollingReactor() override;
  /// Registers the reactor's own handles.
  [[nodiscard]] std::expected<void, IoError> begin();

  std::expected<void, IoError> add(int fd, Pollable& pollable) override;
  void want_writable(Pollable& pollable, WriteInterest interest) noexcept override;
  void remove(Pollable& pollable) noexcept override;
  using Reactor::mark_ready;
  void mark_ready(Pollable& pollable, Next next) noexcept override;
  void unmark(Pollable& pollable) noexcept override;
  bool post(Task& task) noexcept override;
  bool arm(Timer& timer, Deadline deadline) noexcept override;
  bool cancel(Timer& timer) noexcept override;
  [[nodiscard]] std::size_t timers_armed() const noexcept override;
  void post(Function function) override;
  TimerId schedule(TimePoint time, Function function) override;
  bool cancel(TimerId timer) noexcept override { return functions_.cancel(timer); }
  void run() override;
  void run_once(Deadline deadline) override;
  [[nodiscard]] bool has_work() const noexcept override;
  [[nodiscard]] std::uint32_t sleepers() const noexcept override { return sleepers_.load(); }
  void leave() noexcept override;
  [[nodiscard]] int handle() noexcept override;
  void stop() noexcept override;
  [[nodiscard]] bool stopped() const noexcept override { return stop_.load(); }
  void close() noexcept override;
  [[nodiscard]] bool closed() const noexcept override { return closed_.load(); }
  [[nodiscard]] bool is_loop_thread() const noexcept override;
  [[nodiscard]] bool calls_more_in_turn() const noexcept override {
    return shared() || calls_more_in_turn_;
  }
  [[nodiscard]] const Clock& clock() const noexcept override { return clock_; }
  void set_watcher(TaskWatcher& watcher) noexcept { watcher_ = &watcher; }

 private:
  class InTurn;
  /// The keys of the reactor's own handles. No slot uses these keys.
  static constexpr std::uint64_t wake_key = ~std::uint64_t{0};
  static constexpr std::uint64_t timer_key = wake_key - 1;

  [[nodiscard]] bool shared() const noexcept { return threads_ == Threads::several; }
  void turn(Deadline deadline);
  [[nodiscard]] std::span<PolledEvent> poll(std::span<PolledEvent> events,
                                            Deadline deadline) noexcept;
  [[nodiscard]] std::span<PolledEvent> poll_busily(std::span<PolledEvent> events,
                                                   Duration left) noexcept;
  [[nodiscard]] bool begin_sleep(Deadline until, Deadline& first) noexcept;
  [[nodiscard]] Duration wait_limit(Deadline until, Deadline first) noexcept;
  struct Found {
    Event first;
    std::size_t count = 0;  ///< objects that wait for a call, the first included
    bool has_rest = false;  ///< there may be entries besides the first object
  };
  [[nodiscard]] Found note(std::span<const PolledEvent> events) noexcept;
  [[nodiscard]] Found note_all(std::span<const PolledEvent> events) noexcept;
  [[nodiscard]] Event take_ready() noexcept;
  void call_ready(Found found) noexcept;
  void call(const Event& event) noexcept;
  void run_timers();
  void run_tasks();
  void nap_if_others_are_quick() noexcept;

  [[nodiscard]] bool has_entries() const noexcept;
  [[nodiscard]] bool must_wake() const noexcept;
  void wake_if(bool needed) noexcept;
  void wake_for_rest() noexcept;
  void prepare_task() noexcept;
  void wake() noexcept;
  void drop(Pollable& pollable) noexcept;
  [[nodiscard]] std::expected<void, IoError> make_timer_handle() noexcept;
  [[nodiscard]] bool timer_handle_wakes(Deadline first) noexcept;
  void follow_timers() noexcept;
  void tell_foreign_loop() noexcept;
  [[nodiscard]] bool must_follow(TimePoint now) const noexcept;

  const Clock& clock_;
  const std::unique_ptr<Poller> poller_;
  const Signal wake_;  ///< edge-triggered, so it is never read
  const std::chrono::microseconds busy_poll_;
  const Threads threads_;
  TaskWatcher* watcher_ = nullptr;

  mutable ShortLock lock_;  ///< guards the members up to `posted_count_`
  mutable TimerBuckets timers_;
  PollableSlots slots_;
  PollableList ready_;
  TaskList posted_;
  std::size_t posted_count_ = 0;

  std::mutex add_mutex_;  ///< held while slots are added
  /// A timerfd; edge-triggered, so it is never read. With several threads, and for a foreign loop,
  /// it follows the first timer. A single thread sets it before it waits long for a timer
  /// (`timer_handle_worth`). Set under `timer_handle_mutex_`.
  ipc::Handle timer_handle_;
  std::mutex timer_handle_mutex_;
  std::atomic<Deadline> timer_handle_due_;
  std::atomic<bool> timer_handle_follows_ = false;
  std::atomic<bool> has_foreign_loop_ = false;  ///< single thread: `handle` was called
  /// Single thread: the current turn need not look for due timers. The timer handle is set for the
  /// first timer or earlier, and has reported no event yet.
  bool no_timer_is_due_ = false;
  bool calls_more_in_turn_ = false;  ///< single thread

  /// The number of threads that sleep or are about to. A thread raises it under the lock, after it
  /// has found no entries, and lowers it without the lock. So a thread that adds an entry under the
  /// lock counts every thread that may have missed the entry.
  std::atomic<std::uint32_t> sleepers_ = 0;
  std::atomic<bool> has_timers_ = false;  ///< false only if no timer is armed
  std::atomic<bool> has_tasks_ = false;
  std::atomic<bool> wake_pending_ = false;  ///< raised, and no turn has seen it yet
  std::atomic<bool> stop_ = false;
  std::atomic<bool> closed_ = false;
  std::atomic<std::uint64_t> turns_ = 0;  ///< several threads: number of begun turns that may sleep
  std::atomic<bool> napping_ = false;     ///< a thread naps
  ScheduledFunctions functions_{*this};   ///< last, so destroyed first: cancels its timers
};

}  // namespace perigee::event
