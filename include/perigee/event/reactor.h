// The reactor: waits for readiness of handles, timers and posted work, and calls handlers for them.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/base/export.h>
#include <perigee/base/io_error.h>

#include <atomic>
#include <chrono>
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

/// Identifies a scheduled timer. 0 is never used.
using TimerId = std::uint64_t;

/// One event loop. `run`, `run_once` and the registration functions belong to the loop's thread
/// (or to any thread before it runs); `post` and `stop` may be called by any thread.
/// Nothing allocates or locks per event in the steady state.
class PERIGEE_API Reactor {
 public:
  using Task = std::move_only_function<void()>;

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
  /// connections that wait: it schedules a timer and marks itself ready then, instead of spinning.
  virtual void mark_ready(EventHandler& handler) = 0;

  /// Calls `task` on the loop's thread at `time` or later, timers of one turn in order of time.
  /// Not thread-safe: post it if on another thread.
  virtual TimerId schedule(TimePoint time, Task task) = 0;
  /// False if it has run or was cancelled before.
  virtual bool cancel(TimerId timer) noexcept = 0;

  /// Calls `task` on the loop's thread soon. Any thread.
  virtual void post(Task task) = 0;

  /// Runs turns until `stop`; one that came before counts too. Not to be nested: tasks and handlers
  /// that have to wait call `run_once`, which also delivers what the outer turn has left over.
  virtual void run() = 0;
  /// One turn: waits for at most `timeout` (negative: for ever), then calls what is ready.
  virtual void run_once(std::chrono::milliseconds timeout) = 0;
  /// Whether a turn would call anything without waiting. Loop's thread, or nobody's.
  [[nodiscard]] virtual bool has_work() const noexcept = 0;
  /// @name For a loop that this one is part of
  /// @{
  /// Becomes readable when there is work, but for timers.
  [[nodiscard]] virtual int handle() const noexcept = 0;
  /// When the first timer is due; TimePoint::max() if there is none. Loop's thread, or nobody's.
  [[nodiscard]] virtual TimePoint next_timer() const noexcept = 0;
  /// @}
  /// Makes `run` return after the present turn, once, and ends a wait. Any thread.
  virtual void stop() noexcept = 0;
  /// Whether the caller is on the thread that runs the loop.
  [[nodiscard]] virtual bool is_loop_thread() const noexcept = 0;
};

/// An epoll reactor. `clock` must outlive it. `busy_poll`: how long a turn that may wait looks
/// again and again before it sleeps.
PERIGEE_API std::expected<std::unique_ptr<Reactor>, IoError> make_reactor(
    const Clock& clock = steady_clock(), std::chrono::microseconds busy_poll = {});

}  // namespace perigee::event
