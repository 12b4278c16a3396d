// One reactor, and the server connections that belong to it for their lives. An upcall that calls
// out serves other requests of the loop while it waits, one level deeper.
#pragma once

#include "orb/context/server.h"
#include "orb/server/accepted.h"
#include "orb/server/conversation.h"
#include "orb/server/held_queue.h"
#include <perigee/event/reactor.h>
#include <perigee/transport/transport.h>

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace perigee::orb {

class OrbCore;
class ReactiveConnection;

/// The server that a loop is a part of.
class LoopOwner {
 public:
  /// A connection that the loop was given has ended. Any thread.
  virtual void connection_ended() noexcept = 0;
  /// The loop has drained its connections; once. The loop's thread.
  virtual void loop_drained() noexcept = 0;

 protected:
  ~LoopOwner() = default;
};

/// The loop's thread, unless a function says otherwise.
class ReactiveLoop final {
 public:
  ReactiveLoop(OrbCore& core, LoopOwner& owner, std::unique_ptr<event::Reactor> reactor);
  ~ReactiveLoop();
  ReactiveLoop(const ReactiveLoop&) = delete;
  ReactiveLoop& operator=(const ReactiveLoop&) = delete;

  /// @name Any thread
  /// @{
  [[nodiscard]] OrbCore& core() const noexcept { return core_; }
  [[nodiscard]] event::Reactor& reactor() noexcept { return *reactor_; }
  [[nodiscard]] bool on_thread() const noexcept { return reactor_->is_loop_thread(); }
  /// The connections that it was given and that have not ended.
  [[nodiscard]] std::size_t load() const noexcept { return load_.load(std::memory_order_relaxed); }
  /// Takes a new connection.
  void adopt(Accepted accepted);
  void resume_held() noexcept;
  /// @}

  /// Tells the owner when all connections are drained.
  void drain();
  [[nodiscard]] bool draining() const noexcept { return draining_; }
  [[nodiscard]] bool drained() const noexcept { return draining_ && connections_.empty(); }
  /// See Server.
  [[nodiscard]] Server::Nested wait_readable(int fd, Deadline until);
  [[nodiscard]] Server::Nested serve_until(function_ref<bool()> done);
  [[nodiscard]] bool may_nest() const noexcept;

  /// @name For its connections
  /// @{
  void forget(const ReactiveConnection& connection) noexcept;
  [[nodiscard]] HeldQueue& held() noexcept { return held_; }
  /// Its handler is the innermost on the stack.
  [[nodiscard]] bool serves(const ReactiveConnection& connection) const noexcept {
    return !busy_.empty() && busy_.back() == &connection;
  }
  /// One that is due, soon; then the others, one by one.
  void dispatch_held_later() { reactor_->mark_ready(held_task_); }

  /// One level of handlers on the stack: its buffers, and the connection that it is busy with.
  class Level {
   public:
    Level(ReactiveLoop& loop, ReactiveConnection& connection);
    ~Level();
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    [[nodiscard]] ServingThread& buffers() const noexcept { return buffers_; }

   private:
    ReactiveLoop& loop_;
    ServingThread& buffers_;
  };
  /// @}

 private:
  /// Dispatches held requests in turns of their own, so that nested turns go on with them.
  class HeldTask final : public event::EventHandler {
   public:
    explicit HeldTask(ReactiveLoop& loop) noexcept : loop_(loop) {}
    void handle_ready(event::Readiness /*readiness*/) noexcept override { loop_.dispatch_held(); }

   private:
    ReactiveLoop& loop_;
  };

  void add_connection(Accepted accepted);
  void nested_turn() noexcept;
  void connection_ended() noexcept;
  void tell_if_drained() noexcept;
  [[nodiscard]] ServingThread& buffers_of_level(std::size_t level);
  void dispatch_held() noexcept;
  void begin_idle_watch() noexcept;
  void watch_idle() noexcept;
  [[nodiscard]] std::vector<std::shared_ptr<ReactiveConnection>> connections() const;

  OrbCore& core_;
  LoopOwner& owner_;
  const std::unique_ptr<event::Reactor> reactor_;
  std::atomic<std::size_t> load_{0};

  std::map<const ReactiveConnection*, std::shared_ptr<ReactiveConnection>> connections_;
  std::vector<std::unique_ptr<ServingThread>> levels_;
  std::vector<ReactiveConnection*> busy_;  // one per level
  HeldQueue held_;
  HeldTask held_task_{*this};
  bool draining_ = false;
  bool told_drained_ = false;
  bool idle_watched_ = false;  // the timer looks for idle connections
  event::MemberTimer<ReactiveLoop, &ReactiveLoop::watch_idle> idle_timer_{*this};
};

}  // namespace perigee::orb
