// Keeps a connection to NATS: makes a new one when it is lost.
#pragma once

#include "event/thread.h"
#include "services/events_nats/link.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace perigee::events::nats {

/// Decides when the errors of connections are final. A server that starts may refuse a user, or end
/// a connection within the handshake of TLS, so only several refusals in a row count.
class Refusals {
 public:
  /// The error to report. Its kind `failed` becomes `unavailable` while the error is not final.
  [[nodiscard]] StoreError judge(StoreError error);

 private:
  int in_a_row_ = 0;
};

/// Connects on a thread of its own, because the library blocks the thread that connects.
class Connector {
 public:
  /// `up` and `down` run as tasks in the mailbox: `up` with each new link, `down` when it is lost,
  /// `failed` after each attempt that failed. Throws std::system_error if there is no thread left.
  struct Events {
    std::function<void(const std::shared_ptr<Link>&)> up;
    std::function<void()> down;
    std::function<void(const StoreError&)> failed;
  };
  /// `options` and `mailbox` outlive the connector.
  Connector(const NatsStoreOptions& options, std::vector<std::string> subjects, Mailbox& mailbox,
            Events events);
  /// Ends the connection.
  ~Connector();
  Connector(const Connector&) = delete;
  Connector& operator=(const Connector&) = delete;

 private:
  void run() noexcept;
  [[nodiscard]] bool try_once();

  const NatsStoreOptions& options_;
  const std::vector<std::string> subjects_;
  Mailbox& mailbox_;
  const Events events_;
  Refusals refusals_;  // accessed only by `thread_`
  /// Shared with the callback of the link, which may outlive the connector for a moment.
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_ending = false;  // guarded by mutex
    bool is_lost = false;    // the link has ended; guarded by mutex
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  event::Thread thread_;
};

}  // namespace perigee::events::nats
