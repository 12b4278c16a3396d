// The thread strategy reactor-per-core: N loops, each on a thread of its own. A connection belongs
// to one loop for its life; new ones go to the loop that has fewest.
#pragma once

#include "orb/connection/thread_scope.h"
#include "orb/context/server.h"
#include "orb/server/acceptor_set.h"
#include "orb/server/reactive_acceptor.h"
#include "orb/server/reactive_loop.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace perigee::orb {

class OrbCore;

/// Any thread. Serves from `start` on. The first loop has the acceptors.
class CoreLoopsServer final : public Server, public LoopOwner {
 public:
  explicit CoreLoopsServer(OrbCore& core) noexcept : core_(core) {}
  ~CoreLoopsServer() override;

  [[nodiscard]] std::expected<void, IoError> start() override;
  [[nodiscard]] std::expected<void, IoError> begin_accepting() override;
  void run() override;
  void stop(Completion completion) noexcept override;
  void resume_held() noexcept override;
  [[nodiscard]] Nested wait_readable(int fd, Deadline until) override;
  [[nodiscard]] Nested serve_until(function_ref<bool()> done) override;
  [[nodiscard]] event::Reactor* reactor_of_this_thread() noexcept override;
  [[nodiscard]] bool begin_wait() noexcept override;
  [[nodiscard]] std::expected<transport::Endpoint, IoError> listen(
      const transport::Endpoint& endpoint) override;
  void close_removed() noexcept override;
  [[nodiscard]] std::expected<iop::Ior, IoError> make_ior(
      std::string type_id, OctetSpan object_key, const ProtocolPreference* preference) override;
  [[nodiscard]] bool publishes(const transport::Endpoint& endpoint) const noexcept override;

 private:
  [[nodiscard]] std::expected<void, IoError> make_loops();
  [[nodiscard]] ReactiveLoop* loop_of_this_thread() const noexcept;
  [[nodiscard]] bool started() const noexcept { return started_.load(std::memory_order_acquire); }
  [[nodiscard]] std::expected<void, IoError> start_threads();
  void take(Accepted accepted);
  void drain();
  void connection_ended() noexcept override;
  void loop_drained() noexcept override;
  void run_loop(ReactiveLoop& loop) noexcept;

  OrbCore& core_;
  AcceptorSet endpoints_;
  // Do not change any more when `started_` is set.
  std::vector<std::unique_ptr<ReactiveLoop>> loops_;
  std::optional<ReactiveAcceptors> acceptors_;
  std::atomic<bool> started_{false};
  std::atomic<bool> accepting_{false};
  std::atomic<std::size_t> undrained_count_{0};  // loops
  std::mutex finish_mutex_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool stopping_ = false;

  ThreadScope threads_;  // last: its threads use all the rest
};

}  // namespace perigee::orb
