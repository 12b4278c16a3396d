// The thread strategy reactive: one loop, inside ORB::run or an application's own loop, serves all
// connections.
#pragma once

#include "orb/context/server.h"
#include "orb/server/acceptor_set.h"
#include "orb/server/reactive_acceptor.h"
#include "orb/server/reactive_loop.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace perigee::orb {

class OrbCore;

/// Any thread.
class ReactiveServer final : public Server, public LoopOwner {
 public:
  explicit ReactiveServer(OrbCore& core);
  ~ReactiveServer() override;

  [[nodiscard]] std::expected<void, IoError> start() override;
  [[nodiscard]] std::expected<void, IoError> begin_accepting() override;
  void run() override;
  void stop(Completion completion) noexcept override;
  void resume_held() noexcept override;
  [[nodiscard]] Nested wait_readable(int fd, Deadline until) override;
  [[nodiscard]] Nested serve_until(function_ref<bool()> done) override;
  [[nodiscard]] event::Reactor* reactor_of_this_thread() noexcept override;
  [[nodiscard]] event::Reactor* own_loop() noexcept override {
    return loop_ ? &loop_->reactor() : nullptr;
  }
  [[nodiscard]] bool begin_wait() noexcept override;
  void perform_work() override;
  [[nodiscard]] bool work_pending() override;
  [[nodiscard]] int work_handle() const noexcept override;
  [[nodiscard]] std::expected<transport::Endpoint, IoError> listen(
      const transport::Endpoint& endpoint) override;
  void close_removed() noexcept override;
  [[nodiscard]] std::expected<iop::Ior, IoError> make_ior(
      std::string type_id, OctetSpan object_key, const ProtocolPreference* preference) override;
  [[nodiscard]] bool publishes(const transport::Endpoint& endpoint) const noexcept override;

 private:
  using Lock = std::unique_lock<std::mutex>;

  void run_loop() noexcept;
  void drain();
  void connection_ended() noexcept override;
  void loop_drained() noexcept override { loop_->reactor().stop(); }
  [[nodiscard]] bool on_loop_thread() const noexcept { return loop_ && loop_->on_thread(); }

  OrbCore& core_;
  AcceptorSet endpoints_;
  std::unique_ptr<ReactiveLoop> loop_;  // null: there was no reactor to be had
  std::expected<void, IoError> loop_made_;
  std::optional<ReactiveAcceptors> acceptors_;
  std::atomic<bool> started_{false};
  std::atomic<bool> accepting_{false};

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool stopping_ = false;
  bool looping_ = false;  // a thread is in the reactor
  bool running_ = false;  // and stays until all is finished
  bool finished_ = false;
};

}  // namespace perigee::orb
