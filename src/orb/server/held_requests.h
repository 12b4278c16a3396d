// Requests that wait in a thread pool's server until their POA manager lets them pass.
#pragma once

#include "orb/server/pool_task.h"
#include <perigee/messaging/message.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>

namespace perigee::orb {

class PoolConnection;

/// Any thread. As a task, dispatches those whose time has come: oneways in their order, under
/// ownership, like a connection.
class HeldRequests final : public PoolTask {
 public:
  /// Both must outlive it.
  HeldRequests(event::SharedPoll& poll, std::size_t requests_max) noexcept
      : poll_(poll), requests_max_(requests_max) {}

  /// How often `resume` was called. To be read before the POA manager's state is looked at.
  [[nodiscard]] std::uint64_t resumptions() const noexcept { return resumptions_.load(); }
  /// Keeps a message until the next `resume`; if there has been one since `resumptions_seen`, it is
  /// due at once. False if as many are kept as may be.
  [[nodiscard]] bool keep(std::shared_ptr<PoolConnection> connection,
                          messaging::IncomingMessage& message, std::uint64_t resumptions_seen);
  /// All that are kept now are dispatched again.
  void resume();
  /// Drops all: they are not executed.
  void clear();

  void serve(event::Readiness readiness, PoolWorker& worker) noexcept override;
  void give_up() override;

 private:
  struct Held {
    std::shared_ptr<PoolConnection> connection;
    messaging::IncomingMessage message;
  };

  [[nodiscard]] std::optional<Held> take_due();
  [[nodiscard]] bool any_due() const;
  void pass_on(event::SharedPoll::Next next);

  event::SharedPoll& poll_;
  const std::size_t requests_max_;
  std::atomic<std::uint64_t> resumptions_{0};  // changes under the mutex

  mutable std::mutex mutex_;  // guards what follows
  std::deque<Held> held_;
  std::size_t due_count_ = 0;  // of the first ones
};

}  // namespace perigee::orb
