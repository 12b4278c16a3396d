// The reactor over epoll. Private to event: users have make_reactor.
#pragma once

#include "event/functions.h"
#include "event/ready_list.h"
#include "event/task_list.h"
#include "event/timer_buckets.h"
#include <perigee/base/short_lock.h>
#include <perigee/event/reactor.h>
#include <perigee/ipc/handle.h>

#include <sys/epoll.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace perigee::event {

/// One turn: at most one epoll_wait, then fetched events, handlers marked ready, due timers and
/// posted tasks, in this order. Each of these four is a queue of the reactor, not of the turn. So a
/// nested turn goes on where the outer turn stands, and nothing is called twice.
class EpollReactor final : public Reactor {
 public:
  EpollReactor(const Clock& clock, ipc::Handle epoll, ipc::Handle wake,
               std::chrono::microseconds busy_poll) noexcept
      : clock_(clock), epoll_(std::move(epoll)), wake_(std::move(wake)), busy_poll_(busy_poll) {}
  ~EpollReactor() override;

  std::expected<void, IoError> add(int fd, EventHandler& handler) override;
  void want_writable(int fd, EventHandler& handler, WriteInterest interest) override;
  void remove(int fd, EventHandler& handler) noexcept override;
  void mark_ready(EventHandler& handler) override { ready_.push(handler); }
  bool post(Task& task) noexcept override;
  bool arm(Timer& timer, Deadline deadline) noexcept override;
  bool cancel(Timer& timer) noexcept override;
  [[nodiscard]] std::size_t timers_armed() const noexcept override;
  void post(Function function) override;
  TimerId schedule(TimePoint time, Function function) override {
    return functions_.schedule(time, std::move(function));
  }
  bool cancel(TimerId timer) noexcept override { return functions_.cancel(timer); }
  void run() override;
  void run_once(Deadline deadline) override;
  void stop() noexcept override;
  void close() noexcept override;
  [[nodiscard]] bool closed() const noexcept override { return closed_.load(); }
  [[nodiscard]] bool is_loop_thread() const noexcept override;
  [[nodiscard]] bool has_work() const noexcept override;
  [[nodiscard]] int handle() noexcept override;
  [[nodiscard]] const Clock& clock() const noexcept override { return clock_; }

 private:
  /// What is known of a handle; `handles_` has it at the handle's number.
  struct Registration {
    EventHandler* handler = nullptr;
    std::uint32_t generation = 0;  ///< counts registrations: an event of an old one is dropped
    WriteInterest writing = WriteInterest::off;
  };
  /// Says for the length of a turn (the outermost, if nested) whose thread the loop is on.
  class OnThread;

  void turn(Deadline deadline);
  void fetch_events(Deadline deadline) noexcept;
  [[nodiscard]] int wait_events(int wait_ms) noexcept;
  [[nodiscard]] int wait_ms(Deadline deadline) const noexcept;
  void call_handlers() noexcept;
  void call_ready() noexcept;
  void run_timers();
  void run_tasks();
  void follow_timers() noexcept;
  void wake() noexcept;
  [[nodiscard]] bool control(int operation, int fd, WriteInterest writing) noexcept;

  const Clock& clock_;
  ipc::Handle epoll_;
  ipc::Handle wake_;  ///< an eventfd; edge-triggered, so it is never read
  const std::chrono::microseconds busy_poll_;

  std::vector<Registration> handles_;
  /// Fetched; those before event_index_ are done. The end of the turn waits for all of them: there
  /// are few.
  std::array<epoll_event, 32> events_;
  std::size_t event_index_ = 0;
  std::size_t event_count_ = 0;
  ReadyList ready_;
  TaskList running_;  ///< tasks taken from posted_

  mutable ShortLock lock_;  ///< guards what follows
  mutable TimerBuckets timers_;
  TaskList posted_;

  /// For `handle()`: follows the first timer. Both are guarded by the mutex.
  std::mutex timer_handle_mutex_;
  Deadline timer_handle_due_;
  ipc::Handle timer_handle_;  ///< a timerfd; edge-triggered, so it is never read. Stays once made
  std::atomic<bool> has_timer_handle_ = false;

  std::atomic<bool> has_posted_ = false;
  std::atomic<bool> wake_pending_ = false;  ///< the eventfd was written since the last turn began
  std::atomic<bool> stop_ = false;
  std::atomic<bool> closed_ = false;
  std::atomic<std::thread::id> loop_thread_{};
  ScheduledFunctions functions_{*this};  ///< last: it cancels its timers
};

}  // namespace perigee::event
