// The thread strategy thread-per-connection: lowest latency for few clients. One thread per
// acceptor, one or more per connection, and one that watches for upcalls that take long.
#pragma once

#include "event/thread_scope.h"
#include "orb/connection/connection.h"
#include "orb/context/server.h"
#include "orb/server/acceptor_set.h"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace perigee::orb {

class OrbCore;
class ThreadedConnection;

/// Any thread.
class ThreadedServer final : public Server {
 public:
  explicit ThreadedServer(OrbCore& core) : core_(core) {}
  ~ThreadedServer() override;

  [[nodiscard]] std::expected<void, IoError> start() override;
  [[nodiscard]] std::expected<void, IoError> begin_accepting() override;
  void run() override;
  void stop(Completion completion) noexcept override;
  [[nodiscard]] std::expected<transport::Endpoint, IoError> listen(
      const transport::Endpoint& endpoint) override;
  void close_removed() noexcept override;
  [[nodiscard]] std::expected<iop::Ior, IoError> make_ior(
      std::string type_id, OctetSpan object_key, const ProtocolPreference* preference) override;
  [[nodiscard]] bool publishes(const transport::Endpoint& endpoint) const noexcept override;

  /// @name For the connections
  /// @{
  [[nodiscard]] OrbCore& core() const noexcept { return core_; }
  [[nodiscard]] event::ThreadScope& threads() noexcept { return threads_; }
  /// Its last thread is leaving.
  void forget(const ThreadedConnection& connection) noexcept;
  /// A connection has been drained.
  void connection_changed() noexcept;
  [[nodiscard]] const std::shared_ptr<OutputFlusher>& flusher() noexcept { return flusher_; }
  /// The connection has output to send, and may have been forgotten.
  void keep(const std::shared_ptr<ThreadedConnection>& connection);
  /// @}

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Connections = std::vector<std::shared_ptr<ThreadedConnection>>;
  enum class Started : std::uint8_t { no, yes };

  void accept_connections(const Listener& listener) noexcept;
  [[nodiscard]] bool await_place();
  void add_connection(Accepted accepted);
  void watch() noexcept;
  [[nodiscard]] Connections connections() const;
  void begin_stopping() noexcept;
  void stop_accepting() noexcept;
  [[nodiscard]] bool is_stopping() const noexcept;
  [[nodiscard]] bool is_accepting() const noexcept;
  void finish_stopping() noexcept;

  OrbCore& core_;
  const std::shared_ptr<OutputFlusher> flusher_ = std::make_shared<OutputFlusher>();
  AcceptorSet acceptors_;
  std::atomic<bool> started_{false};
  std::mutex start_mutex_;
  std::mutex finish_mutex_;

  mutable std::mutex mutex_;  // guards what follows
  mutable std::condition_variable changed_;
  bool accepting_ = false;
  bool stopping_ = false;
  // Shared with their threads, which may outlive the entry for a moment.
  std::map<const ThreadedConnection*, std::shared_ptr<ThreadedConnection>> connections_;

  event::ThreadScope threads_;  // last: its threads use all the rest
};

}  // namespace perigee::orb
