// Implements orb::Server with an engine::Server and the endpoints of an AcceptorSet.
#pragma once

#include "engine/loops/context.h"
#include "engine/server/server.h"
#include "orb/context/server.h"
#include "orb/server/acceptor_set.h"
#include "orb/server/request_serving.h"

#include <atomic>
#include <expected>
#include <mutex>
#include <string>
#include <vector>

namespace perigee::orb {

class OrbCore;

/// Any thread.
class EngineServer final : public Server {
 public:
  explicit EngineServer(OrbCore& core);
  ~EngineServer() override;

  [[nodiscard]] std::expected<void, IoError> start() override;
  [[nodiscard]] std::expected<void, IoError> begin_accepting() override;
  void run() override;
  void run_until(function_ref<bool()> done, Deadline until) override {
    (void)server_.run_until(done, until);
  }
  [[nodiscard]] bool needs_thread() noexcept override {
    return adopts_.load() && server_.application_needs_thread();
  }
  void run_until_run(function_ref<bool()> done, Deadline until) override {
    server_.run_until_run(done, until);
  }
  void stop(Completion completion) noexcept override;
  void finish_tasks() noexcept override { server_.finish_tasks(); }
  void resume_held() noexcept override { server_.resume_parked(); }
  [[nodiscard]] Nested wait_readable(int fd, Deadline until) override;
  [[nodiscard]] Nested serve_until(function_ref<bool()> done, Deadline until) override;
  [[nodiscard]] bool begin_wait() noexcept override;
  void end_wait() noexcept override;
  [[nodiscard]] event::Reactor* own_loop() noexcept override;
  [[nodiscard]] engine::Loop* loop_of_this_thread() noexcept override {
    return server_.home_loop_of_this_thread();
  }
  [[nodiscard]] engine::Ticks* ticks() noexcept override { return server_.ticks(); }
  void set_calls_home(const engine::Loop& loop, engine::Home* home) noexcept override {
    server_.set_calls_home(loop, home);
  }
  bool perform_work(Deadline until) override { return server_.perform_work(until); }
  [[nodiscard]] bool work_pending() override { return server_.work_pending(); }
  [[nodiscard]] int work_handle() const noexcept override;
  [[nodiscard]] std::expected<transport::Endpoint, IoError> listen(
      const transport::Endpoint& endpoint) override;
  void close_removed() noexcept override;
  [[nodiscard]] std::expected<iop::Ior, IoError> make_ior(
      std::string type_id, OctetSpan object_key, const ProtocolPreference* preference) override;
  [[nodiscard]] bool publishes(const transport::Endpoint& endpoint) const noexcept override;
  [[nodiscard]] std::vector<iop::ListenPoint> listen_points(std::string_view scheme) const override;
  [[nodiscard]] std::uint64_t datagrams_dropped() const noexcept override;
  [[nodiscard]] engine::ConnectionRef adopt(std::unique_ptr<transport::Transport> opened,
                                            const messaging::MessagingProtocol& messages) override;

 private:
  [[nodiscard]] bool opened() const noexcept { return opened_.load(std::memory_order_acquire); }

  OrbCore& core_;
  const engine::EngineContext& context_;
  RequestServing serving_;
  AcceptorSet endpoints_;
  std::atomic<bool> opened_{false};
  std::atomic<bool> accepting_{false};
  std::atomic<bool> adopts_{false};  // connections were adopted
  std::mutex start_mutex_;

  std::mutex mutex_;  // guards the members below
  bool stopping_ = false;

  mutable engine::Server server_;  // last: its threads use all other members
};

}  // namespace perigee::orb
