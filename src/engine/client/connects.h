// Connections that are being made for calls that do not wait.
#pragma once

#include "engine/client/opening.h"
#include "engine/loops/wake_task.h"
#include "event/thread_scope.h"
#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>
#include <perigee/base/export.h>
#include <perigee/base/io_error.h>
#include <perigee/event/reactor.h>
#include <perigee/event/task.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <expected>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

namespace perigee::engine {

/// Any thread.
///
/// One thread runs all connects that do not block, and their handshakes, so a host that does not
/// answer delays no other connection. A few more threads look up names, and run the connects of
/// protocols that can only block. Each of these threads exists only while it has something to do.
class PERIGEE_INTERNAL_API Connects final {
 public:
  using Made = MadeTransport;
  using Done = std::move_only_function<void(Made) noexcept>;

  struct Wanted {
    /// Shared with the caller's table of endpoints. Null: the protocol makes no connections.
    std::shared_ptr<transport::Connector> connector;
    transport::Endpoint endpoint;
    Deadline until;
    Done done;
  };

  /// `waiting_threads_max`: how many threads may look up names, or wait for connects.
  Connects(std::uint32_t waiting_threads_max, const Clock& clock) noexcept;
  ~Connects();
  Connects(const Connects&) = delete;
  Connects& operator=(const Connects&) = delete;

  /// Connects until the deadline at the latest, and calls `done` on a thread of this object. After
  /// `stop`, `done` is not called. Throws std::system_error or bad_alloc if there is no thread or
  /// no memory.
  void connect(Wanted wanted);
  /// The error of a call whose time is over. The text says so if all waiting threads were busy.
  [[nodiscard]] IoError timed_out(const transport::Endpoint& endpoint);
  /// Gives up connects in progress. Waits for threads that look up names.
  void stop() noexcept;

 private:
  class Attempt;
  using Attempts = std::list<Attempt>;
  using Queue = std::list<Wanted>;

  void begin(Wanted& wanted, std::unique_ptr<transport::ConnectInProgress> connect);
  void queue(Wanted& wanted);
  template <typename List>
  [[nodiscard]] bool drop_without_thread(List& list, std::uint32_t& threads, const void* own,
                                         Wanted& wanted);
  void prepare_reactor();

  void run_waiting() noexcept;
  [[nodiscard]] bool take(Queue& taken);
  void look_up(Wanted& wanted) noexcept;
  [[nodiscard]] std::expected<void, IoError> try_look_up(Wanted& wanted);
  [[nodiscard]] Made connect_waiting(const Wanted& wanted) const;

  void run_attempts() noexcept;
  [[nodiscard]] bool take_attempts();
  void give_up_attempts() noexcept;
  void start(Attempt& attempt) noexcept;
  void advance(Attempt& attempt) noexcept;
  [[nodiscard]] Made step(Attempt& attempt) noexcept;
  [[nodiscard]] std::expected<void, IoError> watch(Attempt& attempt);
  void end(Attempt& attempt, Made made) noexcept;

  const std::uint32_t waiting_threads_max_;
  const Clock& clock_;
  WakeTask wake_task_;

  // Used by the thread that runs the attempts.
  Attempts running_;
  Attempts ended_;

  std::mutex mutex_;                         // guards the members below
  std::unique_ptr<event::Reactor> reactor_;  // made once, for the attempts
  Queue waiting_;
  Attempts begun_;
  std::uint32_t waiting_threads_ = 0;
  std::uint32_t attempt_threads_ = 0;  // at most 1
  bool stopped_ = false;
  event::ThreadScope threads_;  // last: its threads use all other members
};

}  // namespace perigee::engine
