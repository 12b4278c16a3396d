// The thread strategy thread-pool: N workers share all connections; who reads a request executes
// it. A thread more keeps house: it accepts, and has the timers.
#pragma once

#include "orb/connection/thread_scope.h"
#include "orb/context/server.h"
#include "orb/core/orb_core.h"
#include "orb/server/acceptor_set.h"
#include "orb/server/held_requests.h"
#include "orb/server/pool_threads.h"
#include "orb/server/reactive_acceptor.h"
#include <perigee/event/reactor.h>
#include <perigee/event/shared_poll.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace perigee::orb {

class PoolConnection;

/// Any thread. Serves from `start` on.
class PoolServer final : public Server {
 public:
  explicit PoolServer(OrbCore& core) noexcept : core_(core) {}
  ~PoolServer() override;

  [[nodiscard]] std::expected<void, IoError> start() override;
  [[nodiscard]] std::expected<void, IoError> begin_accepting() override;
  void run() override;
  void stop(Completion completion) noexcept override;
  void resume_held() noexcept override;
  [[nodiscard]] bool begin_wait() noexcept override;
  void end_wait() noexcept override;
  [[nodiscard]] std::expected<transport::Endpoint, IoError> listen(
      const transport::Endpoint& endpoint) override;
  void close_removed() noexcept override;
  [[nodiscard]] std::expected<iop::Ior, IoError> make_ior(
      std::string type_id, OctetSpan object_key, const ProtocolPreference* preference) override;
  [[nodiscard]] bool publishes(const transport::Endpoint& endpoint) const noexcept override;

  /// @name For the connections
  /// @{
  [[nodiscard]] OrbCore& core() const noexcept { return core_; }
  [[nodiscard]] event::SharedPoll& poll() const noexcept { return *engine_->poll; }
  [[nodiscard]] HeldRequests& held() const noexcept { return engine_->held; }
  /// On the housekeeping thread, which must not wait; at once if there is no memory for a timer.
  template <typename Task>
  void call_later(std::chrono::milliseconds delay, Task task) {
    event::Reactor& reactor = *engine_->reactor;
    reactor.post([&reactor, time = core_.clock().now() + delay, later = std::move(task)] {
      try {
        reactor.schedule(time, later);
      } catch (const std::exception&) {
        later();
      }
    });
  }
  [[nodiscard]] event::Reactor& timers() const noexcept { return *engine_->reactor; }
  void forget(const PoolConnection& connection) noexcept;
  /// @}

 private:
  using Connections = std::vector<std::shared_ptr<PoolConnection>>;

  /// What there is once the server has started.
  struct Engine {
    Engine(PoolServer& server, std::unique_ptr<event::Reactor> reactor_made,
           std::unique_ptr<event::SharedPoll> poll_made);

    const std::unique_ptr<event::Reactor> reactor;  // the housekeeping thread's
    const std::unique_ptr<event::SharedPoll> poll;
    ReactiveAcceptors acceptors;
    HeldRequests held;
    PoolThreads workers;
    ThreadScope housekeeping;
  };

  [[nodiscard]] std::expected<void, IoError> make_engine();
  [[nodiscard]] bool started() const noexcept { return started_.load(std::memory_order_acquire); }
  [[nodiscard]] std::expected<void, IoError> start_threads();
  [[nodiscard]] bool draining() const;
  void keep_house() noexcept;
  void begin_idle_watch() noexcept;
  void watch_idle() noexcept;
  void add_connection(Accepted accepted);
  [[nodiscard]] Connections connections() const;
  void drain();
  void finish_stopping() noexcept;

  OrbCore& core_;
  AcceptorSet endpoints_;
  std::atomic<bool> started_{false};
  std::atomic<bool> accepting_{false};
  bool idle_watched_ = false;  // the timer looks for idle connections; the housekeeping thread's
  event::MemberTimer<PoolServer, &PoolServer::watch_idle> idle_timer_{*this};
  std::mutex start_mutex_;
  std::mutex finish_mutex_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool stopping_ = false;
  bool draining_ = false;  // set by the housekeeping thread
  // Shared with the workers that serve them.
  std::map<const PoolConnection*, std::shared_ptr<PoolConnection>> connections_;

  std::unique_ptr<Engine> engine_;  // last: its threads use all the rest
};

}  // namespace perigee::orb
