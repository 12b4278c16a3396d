// A server: loops, their threads, listeners and connections, as a ThreadPlan says.
#pragma once

#include "engine/application/application_loop.h"
#include "engine/connection/connection_ref.h"
#include "engine/connection/home.h"
#include "engine/connection/request_handler.h"
#include "engine/loops/context.h"
#include "engine/loops/loop.h"
#include "engine/loops/loop_threads.h"
#include "engine/loops/thread_plan.h"
#include "engine/server/listeners.h"
#include "engine/server/supervisor.h"
#include "event/thread_scope.h"
#include <perigee/base/export.h>
#include <perigee/base/io_error.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace perigee::engine {

/// When a dedicated reader ends, its thread waits for a further connection for
/// `ThreadScope::spare_time`. At most this many threads wait. With a new thread for each
/// connection, a resumed TLS handshake would take about a tenth longer.
inline constexpr std::size_t dedicated_spares_max = 4;

/// Any thread. libperigee_bridge uses the functions that are exported.
class PERIGEE_INTERNAL_TYPE Server final : public HomeOwner,
                                           private SupervisedLoops,
                                           private ListenersOwner {
 public:
  enum class Completion : std::uint8_t { do_not_wait, wait };

  /// `context`, `handler` and `traffic` must outlive the server.
  PERIGEE_INTERNAL_API Server(const EngineContext& context, const ThreadPlan& plan,
                              RequestHandler& handler, TrafficLedger& traffic);
  PERIGEE_INTERNAL_API ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Makes the loops and starts the threads of the plan, once.
  [[nodiscard]] PERIGEE_INTERNAL_API std::expected<void, IoError> start();
  /// Accepts at a point from now on. The point must stay valid. Call this function after `start`.
  PERIGEE_INTERNAL_API void accept_at(const ListenPoint& point);
  /// Ends accepting at a point. When it returns, another server can listen there. It returns
  /// earlier if the application runs the loop, or if the caller is in an upcall and the loops
  /// accept.
  void accept_no_more_at(const ListenPoint& point);
  /// Serves, on a loop, a connection that this side has opened and on which the peer may also send
  /// requests. Null: the server was not started, or is stopping, or the poller refuses the
  /// connection. May throw bad_alloc.
  [[nodiscard]] ConnectionRef adopt(Accepted opened);
  /// Blocks until `stop`. Runs the loop if the application has to run it.
  void run();
  /// Stops accepting, drains all connections, then ends the threads. Completion::wait: returns when
  /// all this is done, also in later calls, unless the calling thread serves a loop of this server.
  /// A later call with do_not_wait drains again, and stops the deferred requests if
  /// RequestHandler::cancels returns true by then.
  PERIGEE_INTERNAL_API void stop(Completion completion) noexcept;
  [[nodiscard]] bool stopping() const noexcept { return stopping_.load(); }
  /// Runs the tasks that were posted to the loops after their last turn. Call it after `stop`, when
  /// no thread runs a loop.
  PERIGEE_INTERNAL_API void finish_tasks() noexcept;
  /// Called when hold points have changed their state: dispatches the parked requests again.
  void resume_parked() noexcept;

  /// @name Where the application runs the loop
  /// @{
  [[nodiscard]] bool run_by_application() const noexcept override { return plan_.threads == 0; }
  /// Runs one turn of the loop of the application: ApplicationLoop::perform_work. Also returns
  /// false if the server has threads of its own.
  bool perform_work(Deadline deadline) {
    return application_ && application_->perform_work(deadline);
  }
  /// The next two functions call the functions of ApplicationLoop with the same meaning. They do
  /// nothing, or return false, if the server has threads of its own.
  void run_until_run(function_ref<bool()> done, Deadline deadline) noexcept {
    if (application_) application_->run_until_run(done, deadline);
  }
  [[nodiscard]] bool application_needs_thread() noexcept {
    return application_ && application_->needs_thread();
  }
  [[nodiscard]] bool work_pending() { return application_ && application_->work_pending(); }
  /// A handle that becomes readable when there is work; -1 if the application runs no loop.
  [[nodiscard]] int work_handle() noexcept {
    return application_ ? application_->loop().reactor().handle() : -1;
  }
  /// @}

  /// The loop of this server that the calling thread serves; null if it serves none.
  [[nodiscard]] Loop* loop_of_this_thread() const noexcept;
  /// The same, or the home loop of the connection that the calling thread reads as a dedicated
  /// reader.
  [[nodiscard]] Loop* home_loop_of_this_thread() const noexcept;
  /// The context for homes of further connections on the loops of this server.
  [[nodiscard]] const EngineContext& context() const noexcept { return context_; }
  /// Null: there is no supervisor.
  [[nodiscard]] Ticks* ticks() noexcept;
  /// Lets the supervisor also watch the connections of `home`. Null ends this; pass null only
  /// after the service thread has ended.
  void set_calls_home(const Loop& loop, Home* home) noexcept;
  /// The loop that the application runs; null if there is none.
  [[nodiscard]] Loop* application_loop() const noexcept {
    return application_ ? &application_->loop() : nullptr;
  }
  [[nodiscard]] const ThreadPlan& plan() const noexcept { return plan_; }

  void connection_ended(Place place) noexcept override;
  [[nodiscard]] bool dedicate(Connection& connection) noexcept override;
  [[nodiscard]] bool may_dedicate() const noexcept override {
    return dedicated_count_.load() < plan_.dedicated_max;
  }
  [[nodiscard]] bool run_until(function_ref<bool()> done, Deadline deadline) noexcept override;
  void wake_waiters() noexcept override {
    if (application_) application_->wake();
  }

 private:
  /// A loop with its threads and connections.
  struct Seat {
    Seat(Server& server, std::unique_ptr<Reactor> reactor, Reactor* timers, std::uint32_t threads);
    Loop loop;
    LoopThreads threads;
    Home home;
    std::atomic<Home*> calls_home{nullptr};
    std::optional<Listeners> listeners;  ///< if each loop accepts by itself
  };
  /// The acceptors of a listen point: one for each loop. The first loop uses the acceptor of the
  /// point itself.
  struct Shards {
    const transport::Acceptor* first;  ///< null: nothing is accepted there any more
    std::vector<std::unique_ptr<transport::Acceptor>> others;
  };
  class DrainTask final : public Task {
   public:
    using Step = void (*)(Server& server, Seat* seat) noexcept;
    DrainTask(Server& server, Seat* seat, Step step) noexcept
        : Task(&run), server_(server), seat_(seat), step_(step) {}

   private:
    static void run(Task& task) noexcept;
    Server& server_;
    Seat* const seat_;
    const Step step_;
  };

  using MadeReactor = std::expected<std::unique_ptr<Reactor>, IoError>;
  [[nodiscard]] MadeReactor make_reactor(PollerKind& poller) const;
  [[nodiscard]] std::expected<void, IoError> make_loops();
  [[nodiscard]] std::expected<void, IoError> start_threads() noexcept;
  void take(Accepted accepted, Reactor& reactor) override;
  void give_place_back(Place place) noexcept override;
  [[nodiscard]] bool loops_accept() const noexcept;
  [[nodiscard]] bool accept_at_all_loops(const ListenPoint& point);
  [[nodiscard]] bool accept_no_more_at_loops(const ListenPoint& point);
  void drain_seat(Seat& seat) noexcept;
  [[nodiscard]] Home& next_home() noexcept;
  [[nodiscard]] bool is_mine(const Loop& loop) const noexcept;
  void begin_drain() noexcept;
  void end_if_drained() noexcept;
  void run_service() noexcept;
  void end_service() noexcept;
  void join() noexcept;
  void stop_application_loop(bool waits) noexcept;
  [[nodiscard]] std::size_t loop_count() const noexcept override { return seats_.size(); }
  [[nodiscard]] Home& home_of(std::size_t index) noexcept override { return seats_[index]->home; }
  [[nodiscard]] Home* calls_home_of(std::size_t index) noexcept override {
    return seats_[index]->calls_home.load();
  }
  [[nodiscard]] LoopThreads& threads_of(std::size_t index) noexcept override {
    return seats_[index]->threads;
  }

  const EngineContext& context_;
  const ThreadPlan plan_;
  RequestHandler& handler_;
  TrafficLedger& traffic_;
  SpareThreads spares_;

  // These do not change once `started_` is set. The constructor makes the application's loop.
  std::expected<void, IoError> loops_made_;
  std::unique_ptr<Reactor> service_;  // null where the application runs the loop
  std::optional<Supervisor> supervisor_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::optional<ApplicationLoop> application_;  // if the application runs the loop
  ConnectionCount connections_;
  std::optional<Listeners> listeners_;  // used by the service thread, or by the application's loop
  std::optional<DrainTask> drain_task_;
  std::vector<std::unique_ptr<DrainTask>> home_tasks_;
  std::atomic<bool> started_{false};

  std::atomic<bool> service_ended_{false};  // the service thread has to end
  std::atomic<bool> service_over_{false};   // the service thread runs no task any more
  std::atomic<bool> stopping_{false};
  std::atomic<bool> draining_{false};            // accepting has ended; each loop has a drain task
  std::atomic<std::size_t> loops_accepting_{0};  // how many loops accept by themselves
  std::atomic<bool> ended_{false};
  std::mutex start_mutex_;
  std::mutex join_mutex_;
  std::mutex adopt_mutex_;  // guards `adopts_no_more_`; held while a connection is adopted
  bool adopts_no_more_ = false;

  std::mutex shards_mutex_;
  // Guarded by shards_mutex_. Acceptors stay, since listeners refer to them.
  std::vector<Shards> shards_;

  // Threads in `run` wait for `stopping_`.
  std::mutex mutex_;
  std::condition_variable changed_;

  std::atomic<std::uint32_t> dedicated_count_{0};
  // Last: their threads use all other members.
  event::ThreadScope service_threads_;
  event::ThreadScope dedicated_threads_{dedicated_spares_max};
};

}  // namespace perigee::engine
