// The shared poll over epoll. Private to event: users have make_shared_poll.
#pragma once

#include "event/shared_poll_slots.h"
#include <perigee/base/clock.h>
#include <perigee/event/shared_poll.h>
#include <perigee/ipc/handle.h>

#include <sys/epoll.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace perigee::event {

/// Who fetches several events keeps the first and puts the others in the ready list; whoever has
/// nothing to do looks there before it sleeps. So a handler never waits behind another's upcall
/// while a thread is free.
class SharedEpoll final : public SharedPoll {
 public:
  SharedEpoll(ipc::Handle epoll, ipc::Handle wake, std::chrono::microseconds busy_poll) noexcept
      : epoll_(std::move(epoll)), wake_(std::move(wake)), busy_poll_(busy_poll) {}

  std::expected<void, IoError> add(int fd, SharedHandler& handler) override;
  void want_writable(SharedHandler& handler, WriteInterest interest) override;
  void remove(SharedHandler& handler) noexcept override;
  using SharedPoll::wait;
  [[nodiscard]] Ready wait(Waiter& waiter) override;
  void leave() noexcept override;
  void stop() noexcept override;
  void release(SharedHandler& handler, Next next) noexcept override;
  void requeue(SharedHandler& handler, Next next) noexcept override;
  void notify(SharedHandler& handler, Readiness readiness) noexcept override;

 private:
  enum class Sleep : std::uint8_t { no, yes };

  [[nodiscard]] bool all_are_quick(Waiter& waiter) noexcept;
  [[nodiscard]] Ready wait_for_ready(bool naps) noexcept;
  void nap() noexcept;
  [[nodiscard]] Ready fetch(Sleep sleep) noexcept;
  [[nodiscard]] int wait_events(epoll_event* events, Sleep sleep) noexcept;
  [[nodiscard]] int sleep_for_events(epoll_event* events) noexcept;
  void wake_a_sleeper() noexcept;
  void wake() noexcept;
  [[nodiscard]] bool stopped() const noexcept { return stopped_.load(); }

  ipc::Handle epoll_;
  ipc::Handle wake_;  ///< an eventfd; edge-triggered, so it is never read
  const std::chrono::microseconds busy_poll_;
  SharedPollSlots slots_;
  std::atomic<std::uint64_t> turns_{0};  ///< of all threads
  std::atomic<bool> napping_{false};     ///< a thread is
  std::atomic<std::uint32_t> sleepers_{0};
  std::atomic<bool> wake_pending_{false};  ///< the eventfd was written, and nobody has seen it
  std::atomic<bool> stopped_{false};
};

}  // namespace perigee::event
