// The thread strategy reactive: one thread, inside ORB::run, serves all connections on one reactor.
// An upcall that calls out serves other requests while it waits, one level deeper.
#pragma once

#include "orb/connection.h"
#include "orb/server.h"
#include "orb/server/acceptor_set.h"
#include "orb/server/conversation.h"
#include <perigee/event/reactor.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace perigee::orb {

class OrbCore;
class ReactiveAcceptor;
class ReactiveConnection;

/// `start`, `run`, `stop`, `make_ior`, `publishes` and `resume_held`: any thread. All the rest: the
/// loop's thread.
class ReactiveServer final : public Server {
 public:
  explicit ReactiveServer(OrbCore& core);
  ~ReactiveServer() override;

  [[nodiscard]] std::expected<void, IoError> start() override;
  void run() override;
  void stop(Completion completion) noexcept override;
  void resume_held() noexcept override;
  [[nodiscard]] Nested wait_readable(int fd, TimePoint until) override;
  [[nodiscard]] bool may_nest() const noexcept override;
  void perform_work() override;
  [[nodiscard]] bool work_pending() override;
  [[nodiscard]] int work_handle() const noexcept override;
  [[nodiscard]] std::expected<iop::Ior, IoError> make_ior(std::string type_id,
                                                          OctetSpan object_key) override;
  [[nodiscard]] bool publishes(const transport::Endpoint& endpoint) const noexcept override;

  /// @name For acceptors and connections
  /// @{
  [[nodiscard]] OrbCore& core() const noexcept { return core_; }
  [[nodiscard]] event::Reactor& reactor() noexcept { return *reactor_; }
  [[nodiscard]] bool has_place() const noexcept;
  void add_connection(std::unique_ptr<transport::Transport> transport);
  void forget(const ReactiveConnection& connection) noexcept;
  /// Keeps a message until `resume_held`. False if as many are kept as may be.
  [[nodiscard]] bool keep(std::shared_ptr<ReactiveConnection> connection,
                          messaging::IncomingMessage& message);

  /// One level of handlers on the stack: its buffers, and the connection that it is busy with.
  class Level {
   public:
    Level(ReactiveServer& server, ReactiveConnection& connection);
    ~Level();
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    [[nodiscard]] ServingThread& buffers() const noexcept { return buffers_; }

   private:
    ReactiveServer& server_;
    ServingThread& buffers_;
  };
  /// @}

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct HeldRequest {
    std::shared_ptr<ReactiveConnection> connection;
    messaging::IncomingMessage message;
  };

  [[nodiscard]] std::expected<void, IoError> make_loop();
  void register_acceptors();
  void run_loop() noexcept;
  [[nodiscard]] bool on_loop_thread() const noexcept {
    return loop_thread_.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }
  [[nodiscard]] ServingThread& buffers_of_level(std::size_t level);
  void dispatch_held();
  void drain();
  void interrupt_finished();
  void interrupt_stuck();
  void check_drained() noexcept;
  [[nodiscard]] std::vector<std::shared_ptr<ReactiveConnection>> connections() const;

  OrbCore& core_;
  AcceptorSet acceptors_;
  std::unique_ptr<event::Reactor> reactor_;
  std::expected<void, IoError> reactor_made_;
  std::atomic<bool> started_{false};
  std::atomic<std::thread::id> loop_thread_{};

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool starting_ = false;
  bool stopping_ = false;
  bool looping_ = false;  // a thread is in the reactor
  bool running_ = false;  // and stays until all is finished
  bool finished_ = false;

  // The loop's thread's.
  std::vector<std::unique_ptr<ReactiveAcceptor>> handlers_;
  std::map<const ReactiveConnection*, std::shared_ptr<ReactiveConnection>> connections_;
  std::vector<std::unique_ptr<ServingThread>> levels_;
  std::vector<ReactiveConnection*> busy_;  // one per level
  std::deque<HeldRequest> held_;
  bool draining_ = false;
};

}  // namespace perigee::orb
