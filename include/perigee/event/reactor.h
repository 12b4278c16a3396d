// The reactor: waits for ready handles, timers and posted tasks, and calls their handlers.
#pragma once

#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/base/octets.h>
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

/// The readiness of a handle. Flags.
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

class Pollable;

/// An event of one object.
struct Event {
  Pollable* target = nullptr;
  Readiness readiness = Readiness::none;
  MutableOctetSpan received;  ///< octets that the poller has read itself; epoll reads none
};

/// The reactor's data about an object. Guarded by the reactor's lock.
class PollableState {
 public:
  /// `yes`: while the object is in the reactor's ready list, the reactor holds a reference to it,
  /// until the call for this event has returned. `no`: the owner removes the object from the
  /// reactor before destroying it.
  enum class Counted : bool { no, yes };

  PollableState(const PollableState&) = delete;
  PollableState& operator=(const PollableState&) = delete;

 protected:
  explicit PollableState(Counted counted) noexcept : counted_(counted) {}
  ~PollableState() = default;

 private:
  friend class PollableList;
  friend class PollableSlots;
  friend class PollingReactor;
  static constexpr std::uint32_t no_slot = ~std::uint32_t{0};

  const Counted counted_;
  bool wants_writable_ = false;
  std::uint32_t noted_ = 0;  // not 0: in the ready list
  int fd_ = -1;
  std::uint32_t slot_ = no_slot;
  Pollable* previous_ = nullptr;
  Pollable* next_ = nullptr;
};

/// An object to which a reactor reports events. Events are edge-triggered: the object must transfer
/// octets until none are left, or ask to be called again (`Reactor::mark_ready`).
class PERIGEE_API Pollable : public PollableState {
 public:
  /// Called on a thread that runs the reactor, without locks of the reactor. If several threads run
  /// the reactor, calls for one object may overlap. If a call runs a nested turn, that turn may
  /// call the object again.
  virtual void handle_event(const Event& event) noexcept = 0;

  /// @name For the reactor, if the object is counted
  /// @{
  /// Called under the reactor's lock.
  virtual void add_reference() noexcept {}
  /// Called without locks.
  virtual void drop_reference() noexcept {}
  /// @}

 protected:
  explicit Pollable(Counted counted = Counted::no) noexcept : PollableState(counted) {}
  ~Pollable() = default;
};

/// A Pollable without counting: its owner keeps it until the reactor does not call it any longer.
/// If only one thread runs the reactor, a call of `remove` on this thread is enough.
class PERIGEE_API EventHandler : public Pollable {
 public:
  virtual void handle_ready(Readiness readiness) noexcept = 0;

 protected:
  ~EventHandler() = default;

 private:
  void handle_event(const Event& event) noexcept final { handle_ready(event.readiness); }
};

/// Whether an object wants an event when its handle takes octets again.
enum class WriteInterest : std::uint8_t { off, on };

/// Identifies a scheduled function. 0 is never used.
using TimerId = std::uint64_t;

/// Events, tasks and timers, called on the threads that run the reactor: one, or several at the
/// same time (`Threads`). All functions are for any thread. Nothing allocates per event, task or
/// timer. Lock order: the caller's locks, then the reactor's.
class PERIGEE_API Reactor {
 public:
  using Function = std::move_only_function<void()>;
  /// What a thread does after it has marked an object.
  enum class Next : bool {
    turn,  ///< it takes marked objects of the reactor next, so no other thread is woken
    call,  ///< it may be in a long call, or does not run the reactor
  };

  virtual ~Reactor() = default;

  /// @name Events
  /// @{
  /// Registers a handle and its object once, for reading and the peer's closing. Both must stay
  /// valid until `remove`. Readiness that existed before is also reported.
  virtual std::expected<void, IoError> add(int fd, Pollable& pollable) = 0;
  /// Turn the interest on while octets wait to be sent. The reactor then reports `writable` when
  /// the handle takes octets, or at once if it takes octets already. Makes one system call if the
  /// interest changes, none otherwise. One thread at a time per object.
  virtual void want_writable(Pollable& pollable, WriteInterest interest) noexcept = 0;
  /// Must be called before the handle is closed. Afterwards no call of the object begins, not even
  /// for events that were fetched before; running calls continue. Also takes back a mark (see
  /// `mark_ready`). No effect if the object is not registered.
  virtual void remove(Pollable& pollable) noexcept = 0;
  /// Calls the object in the next turn with `readable`, once, however often it is marked. The
  /// object need not be added.
  ///
  /// An acceptor whose `accept` fails for lack of handles (IoErrorKind::limit) gets no new edge for
  /// the connections that wait. It has to arm a timer, and to mark itself ready when the timer
  /// fires.
  virtual void mark_ready(Pollable& pollable, Next next) noexcept = 0;
  void mark_ready(Pollable& pollable) noexcept { mark_ready(pollable, Next::call); }
  /// Takes the mark back. Events that were fetched are still reported.
  virtual void unmark(Pollable& pollable) noexcept = 0;
  /// @}

  /// @name Tasks and timers
  /// @{
  /// Runs the task on a thread of the reactor soon. False if it is posted already: then it runs
  /// once.
  virtual bool post(Task& task) noexcept = 0;
  /// Fires the timer on a thread of the reactor at the deadline or later. Timers of one turn fire
  /// in order of time. A timer that is armed already is moved. Returns true if the timer was not
  /// armed before: then the owner counts one reference for the timer.
  virtual bool arm(Timer& timer, Deadline deadline) noexcept = 0;
  /// True: the timer does not fire, and its owner drops the reference. False: the timer is not
  /// armed, or another thread is about to fire it, and `fire` drops the reference.
  virtual bool cancel(Timer& timer) noexcept = 0;
  /// How many timers are armed.
  [[nodiscard]] virtual std::size_t timers_armed() const noexcept = 0;
  /// @}

  /// @name Functions, for applications: each takes memory from the pool
  /// @{
  /// Calls `function` on a thread of the reactor soon.
  virtual void post(Function function) = 0;
  /// Calls `function` on a thread of the reactor at `time` or later.
  virtual TimerId schedule(TimePoint time, Function function) = 0;
  /// False if it has run or was cancelled before.
  virtual bool cancel(TimerId timer) noexcept = 0;
  /// @}

  /// Runs turns until `stop` is called. A call of `stop` before `run` also ends that `run`. Calls
  /// of `run` must not nest. A task or handler that has to wait calls `run_once`, which also
  /// delivers the rest of the outer turn.
  virtual void run() = 0;
  /// One turn: waits until the deadline at most, then calls the objects with events, the due
  /// timers, and the tasks.
  virtual void run_once(Deadline deadline) = 0;
  /// Whether a turn would find work without waiting.
  [[nodiscard]] virtual bool has_work() const noexcept = 0;
  /// How many threads sleep in a turn.
  [[nodiscard]] virtual std::uint32_t sleepers() const noexcept = 0;
  /// Called by a thread that will run no turns for a while: wakes another thread if there is work.
  virtual void leave() noexcept = 0;
  /// A handle for a foreign event loop that drives this reactor: becomes readable when there is
  /// work, timers included.
  [[nodiscard]] virtual int handle() noexcept = 0;
  /// Ends the waits, and makes `run` return after the present turn. If one thread runs the reactor,
  /// this holds for one `run`; if several threads run it, for all later ones.
  virtual void stop() noexcept = 0;
  /// True if `stop` was called, and no `run` has returned for it.
  [[nodiscard]] virtual bool stopped() const noexcept = 0;
  /// Ends all waits: all armed timers fire on the calling thread, before their time, and posted
  /// tasks run. Scheduled functions are dropped. No other thread may run the loop.
  virtual void close() noexcept = 0;
  /// Whether `close` was called.
  [[nodiscard]] virtual bool closed() const noexcept = 0;
  /// Whether the caller is in a turn of the reactor.
  [[nodiscard]] virtual bool is_loop_thread() const noexcept = 0;
  /// Whether the current turn calls further objects after the object that calls this function.
  /// Always true on a reactor of several threads.
  [[nodiscard]] virtual bool calls_more_in_turn() const noexcept = 0;
  [[nodiscard]] virtual const Clock& clock() const noexcept = 0;
};

/// How many threads may run a reactor at the same time.
enum class Threads : bool { one, several };

/// How a reactor asks the system for events. `uring` needs a kernel with io_uring (5.17 or later).
enum class PollerKind : std::uint8_t { epoll, uring };

/// `clock` must outlive the reactor. `busy_poll`: for this time, a turn that may wait polls again
/// and again before it sleeps.
PERIGEE_API std::expected<std::unique_ptr<Reactor>, IoError> make_reactor(
    const Clock& clock = steady_clock(), std::chrono::microseconds busy_poll = {},
    Threads threads = Threads::one, PollerKind poller = PollerKind::epoll);

}  // namespace perigee::event
