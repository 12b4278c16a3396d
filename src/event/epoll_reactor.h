// The reactor over epoll. Private to event: users have make_reactor.
#pragma once

#include "event/ready_list.h"
#include "event/timer_queue.h"
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
/// posted tasks, in this order. Each of these four is a queue of the reactor, not of the turn, so a
/// nested turn goes on where the outer one stands and the outer one finds nothing done twice.
class EpollReactor final : public Reactor {
 public:
  EpollReactor(const Clock& clock, ipc::Handle epoll, ipc::Handle wake,
               std::chrono::microseconds busy_poll) noexcept
      : clock_(clock), epoll_(std::move(epoll)), wake_(std::move(wake)), busy_poll_(busy_poll) {}

  std::expected<void, IoError> add(int fd, EventHandler& handler) override;
  void want_writable(int fd, EventHandler& handler, WriteInterest interest) override;
  void remove(int fd, EventHandler& handler) noexcept override;
  void mark_ready(EventHandler& handler) override { ready_.push(handler); }
  TimerId schedule(TimePoint time, Task task) override;
  bool cancel(TimerId timer) noexcept override { return timers_.cancel(timer); }
  void post(Task task) override;
  void run() override;
  void run_once(std::chrono::milliseconds timeout) override;
  void stop() noexcept override;
  [[nodiscard]] bool is_loop_thread() const noexcept override;
  [[nodiscard]] bool has_work() const noexcept override;
  [[nodiscard]] int handle() const noexcept override { return epoll_.get(); }
  [[nodiscard]] TimePoint next_timer() const noexcept override {
    return timers_.next().value_or(TimePoint::max());
  }

 private:
  /// What is known of a handle; `handles_` has it at the handle's number.
  struct Registration {
    EventHandler* handler = nullptr;
    std::uint32_t generation = 0;  ///< counts registrations: an event of an old one is dropped
    WriteInterest writing = WriteInterest::off;
  };
  /// Says for the length of a turn (the outermost, if nested) whose thread the loop is on.
  class OnThread;

  void turn(std::chrono::milliseconds timeout);
  void fetch_events(std::chrono::milliseconds timeout) noexcept;
  [[nodiscard]] int wait_events(int wait_ms) noexcept;
  [[nodiscard]] int wait_ms(std::chrono::milliseconds timeout) const noexcept;
  [[nodiscard]] bool has_left_over() const noexcept;
  void call_handlers() noexcept;
  void call_ready() noexcept;
  void run_timers();
  void run_tasks();
  void wake() noexcept;
  [[nodiscard]] bool control(int operation, int fd, WriteInterest writing) noexcept;

  const Clock& clock_;
  ipc::Handle epoll_;
  ipc::Handle wake_;  ///< an eventfd; edge-triggered, so it is never read
  const std::chrono::microseconds busy_poll_;

  std::vector<Registration> handles_;
  /// Fetched; those before event_index_ are done. What a turn puts off to its end waits for all of
  /// them, so there are not many.
  std::array<epoll_event, 32> events_;
  std::size_t event_index_ = 0;
  std::size_t event_count_ = 0;
  ReadyList ready_;
  TimerQueue timers_;

  std::vector<Task> running_;  ///< tasks taken from posted_; those before running_index_ are done
  std::size_t running_index_ = 0;
  std::mutex mutex_;
  std::vector<Task> posted_;  ///< guarded by mutex_
  std::atomic<bool> has_posted_ = false;
  std::atomic<bool> wake_pending_ = false;  ///< the eventfd was written since the last turn began
  std::atomic<bool> stop_ = false;
  std::atomic<std::thread::id> loop_thread_{};
};

}  // namespace perigee::event
