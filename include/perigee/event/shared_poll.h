// Readiness of handles for many threads that wait together: what becomes ready is given to one of
// them, who owns it until it lets go. No timers and no tasks: those are a Reactor's.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/event/reactor.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>

namespace perigee::event {

/// What a SharedPoll gives out. Owned by at most one thread at a time; while it is owned, or waits
/// in the ready list for an owner, what happens to its handle is noted and not reported.
class PERIGEE_API SharedHandler {
 public:
  SharedHandler(const SharedHandler&) = delete;
  SharedHandler& operator=(const SharedHandler&) = delete;

 protected:
  SharedHandler() = default;
  ~SharedHandler() = default;

 private:
  friend class SharedPollSlots;
  std::uint64_t key_ = 0;  // of the present registration, or the last
};

/// One epoll for many threads. Any thread, but for what is said of the owner. Nothing allocates per
/// event, and a turn is at most one epoll_wait.
///
/// Handlers are taken out of the ready list in the order in which they came, and at the latest when
/// all that were in it have had their turn the handles are looked at: nobody starves.
class PERIGEE_API SharedPoll {
 public:
  struct Ready {
    SharedHandler* handler = nullptr;  ///< null: the poll was stopped
    Readiness readiness = Readiness::none;
  };

  virtual ~SharedPoll() = default;

  /// Registers a handle once, for reading and the peer's closing, edge-triggered. -1: there is no
  /// handle, only `notify`. The handle and the handler must stay until `remove`.
  virtual std::expected<void, IoError> add(int fd, SharedHandler& handler) = 0;
  /// Turned on while octets wait to be sent. One system call if it changes, none if it does not.
  /// One thread at a time, and none after `remove`.
  virtual void want_writable(SharedHandler& handler, WriteInterest interest) = 0;
  /// By the owner, before the handle is closed; ends the ownership.
  virtual void remove(SharedHandler& handler) noexcept = 0;

  /// What a thread remembers from one `wait` to the next.
  struct Waiter {
    std::uint64_t turn = 0;  ///< of all threads' turns the one that was its last; 0: none yet
    TimePoint turn_begin;    ///< of its last one
  };
  /// Blocks until a handler is ready, which the caller then owns, or the poll is stopped.
  ///
  /// A thread that finds nothing to do naps first if others had turns during its last one, which
  /// was shorter than a nap, and none of them naps: as long as they are that quick, they need no
  /// help, and waking it for each event would cost more than the event. So an event waits for at
  /// most `nap_time` if they stop being quick just then.
  [[nodiscard]] virtual Ready wait(Waiter& waiter) = 0;
  static constexpr std::chrono::microseconds nap_time{200};
  /// Never naps.
  [[nodiscard]] Ready wait() {
    Waiter waiter;
    return wait(waiter);
  }
  /// By a thread that does not call `wait` next after all: another one is woken for what waits in
  /// the ready list, if one sleeps.
  virtual void leave() noexcept = 0;
  /// All threads come back from `wait`, now and later.
  virtual void stop() noexcept = 0;

  /// @name By the owner, who is none afterwards
  /// @{
  /// If something has happened to the handle meanwhile, the handler goes to the ready list. The
  /// caller either calls `wait` soon, or does not mind that it may be noticed by nobody before.
  enum class Next : std::uint8_t {
    wait,    ///< the caller calls `wait` next: no thread is woken for it
    upcall,  ///< the caller does something long: another thread is woken if one sleeps
  };
  virtual void release(SharedHandler& handler, Next next) noexcept = 0;
  /// To the end of the ready list, whatever has happened.
  virtual void requeue(SharedHandler& handler, Next next) noexcept = 0;
  /// @}

  /// As if the handle had become so: puts the handler in the ready list, unless it has an owner,
  /// for whom it is noted. Does nothing after `remove`; the handler must still be there.
  virtual void notify(SharedHandler& handler, Readiness readiness) noexcept = 0;
};

/// `busy_poll`: how long `wait` looks again and again before it sleeps.
PERIGEE_API std::expected<std::unique_ptr<SharedPoll>, IoError> make_shared_poll(
    std::chrono::microseconds busy_poll = {});

}  // namespace perigee::event
