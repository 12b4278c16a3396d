// The reactor: waits for readiness of handles, timers and posted tasks, and calls handlers for
// them.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/event/task.h>
#include <perigee/event/timer.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>

namespace perigee::event {

/// What a handle is ready for. Flags.
enum class Readiness : std::uint32_t {
  none = 0,
  readable = 1,
  writable = 2,
  peer_closed = 4,
  error = 8
};
constexpr Readiness operator|(Readiness a, Readiness b) noexcept {
  return static_cast<Readiness>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
constexpr bool has(Readiness set, Readiness flag) noexcept {
  return (static_cast<std::uint32_t>(set) & static_cast<std::uint32_t>(flag)) != 0;
}

/// A handler's place in the reactor's ready list; no business of the handler's.
class ReadyLink {
 public:
  ReadyLink(const ReadyLink&) = delete;
  ReadyLink& operator=(const ReadyLink&) = delete;

 protected:
  ReadyLink() = default;
  ~ReadyLink() = default;

 private:
  friend class ReadyList;
  ReadyLink* previous_ = nullptr;
  ReadyLink* next_ = nullptr;
};

/// Is told when its handle becomes ready: edge-triggered, so it transfers until nothing is left, or
/// asks to be called again (`Reactor::mark_ready`). Must not throw. Called on the loop's thread.
/// A handler that runs a nested turn may be called again from within.
class PERIGEE_API EventHandler : public ReadyLink {
 public:
  virtual void handle_ready(Readiness readiness) noexcept = 0;

 protected:
  ~EventHandler() = default;
};

/// Whether a handler wants to hear when its handle takes octets again.
enum class WriteInterest : std::uint8_t { off, on };

/// Identifies a scheduled function. 0 is never used.
using TimerId = std::uint64_t;

/// One event loop. `run`, `run_once` and the registration of handles belong to the loop's thread
/// (or to any thread before it runs). Tasks, timers, functions and `stop` are for any thread.
/// Nothing allocates per event, task or timer. Lock order: the caller's locks, then the reactor's;
/// handlers, tasks and timers run without locks of the reactor.
class PERIGEE_API Reactor {
 public:
  using Function = std::move_only_function<void()>;

  virtual ~Reactor() = default;

  /// Registers a handle once, for reading and the peer's closing, edge-triggered. A handle has one
  /// handler. The handle and the handler must stay until `remove`. Readiness that was there before
  /// is reported too.
  virtual std::expected<void, IoError> add(int fd, EventHandler& handler) = 0;
  /// Turned on while octets wait to be sent: reports `writable` when the handle takes some (at once
  /// if it does already). One system call if it changes, none if it does not.
  virtual void want_writable(int fd, EventHandler& handler, WriteInterest interest) = 0;
  /// After this the handler is not called again, not even for events already fetched.
  /// Safe inside handlers, its own included; before the handle is closed.
  virtual void remove(int fd, EventHandler& handler) noexcept = 0;
  /// Calls the handler again in the next turn with `readable`, without waiting (it stopped before
  /// all was read). Once, however often it is marked. Also for handlers that were not added;
  /// `remove` (with fd -1) takes the mark back.
  ///
  /// An acceptor's handler that runs out of handles (IoErrorKind::limit) gets no new edge for the
  /// connections that wait: it arms a timer and marks itself ready then, instead of spinning.
  virtual void mark_ready(EventHandler& handler) = 0;

  /// @name Tasks and timers
  /// @{
  /// Runs the task on the loop's thread soon. False if it is posted already: it runs once.
  virtual bool post(Task& task) noexcept = 0;
  /// Fires the timer on the loop's thread at the deadline or later. Timers of one turn fire in
  /// order of time. A timer that is armed already is moved. True if it was not armed: then its
  /// owner gives it a reference.
  virtual bool arm(Timer& timer, Deadline deadline) noexcept = 0;
  /// True: the timer does not fire, and its owner takes the reference back. False: it is not armed,
  /// or another thread is about to fire it; then `fire` drops the reference.
  virtual bool cancel(Timer& timer) noexcept = 0;
  /// How many timers are armed.
  [[nodiscard]] virtual std::size_t timers_armed() const noexcept = 0;
  /// @}

  /// @name Functions, for applications: each takes memory from the pool
  /// @{
  /// Calls `function` on the loop's thread soon.
  virtual void post(Function function) = 0;
  /// Calls `function` on the loop's thread at `time` or later.
  virtual TimerId schedule(TimePoint time, Function function) = 0;
  /// False if it has run or was cancelled before.
  virtual bool cancel(TimerId timer) noexcept = 0;
  /// @}

  /// Runs turns until `stop`; one that came before counts too. Not to be nested: tasks and handlers
  /// that have to wait call `run_once`, which also delivers what the outer turn has left over.
  virtual void run() = 0;
  /// One turn: waits until the deadline at most, then calls what is ready.
  virtual void run_once(Deadline deadline) = 0;
  /// Whether a turn would call anything without waiting. Loop's thread, or nobody's.
  [[nodiscard]] virtual bool has_work() const noexcept = 0;
  /// For a loop that this one is part of: becomes readable when there is work, timers included. -1
  /// if the process has no handle left for a timer.
  [[nodiscard]] virtual int handle() noexcept = 0;
  /// Makes `run` return after the present turn, once, and ends a wait. Any thread.
  virtual void stop() noexcept = 0;
  /// The end of waiting: all armed timers fire on the calling thread, before their time, and posted
  /// tasks run. Scheduled functions are dropped. No other thread may run the loop.
  virtual void close() noexcept = 0;
  /// Whether `close` was called.
  [[nodiscard]] virtual bool closed() const noexcept = 0;
  /// Whether the caller is on the thread that runs the loop.
  [[nodiscard]] virtual bool is_loop_thread() const noexcept = 0;
  [[nodiscard]] virtual const Clock& clock() const noexcept = 0;
};

/// An epoll reactor. `clock` must outlive it. `busy_poll`: how long a turn that may wait looks
/// again and again before it sleeps.
PERIGEE_API std::expected<std::unique_ptr<Reactor>, IoError> make_reactor(
    const Clock& clock = steady_clock(), std::chrono::microseconds busy_poll = {});

}  // namespace perigee::event
