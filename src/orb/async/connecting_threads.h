// Threads that connect: connectors block, and so do those who look names up, which a loop must not.
#pragma once

#include "orb/connection/thread_scope.h"
#include <perigee/base/deadline.h>
#include <perigee/base/io_error.h>
#include <perigee/transport/transport.h>

#include <cstdint>
#include <expected>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

namespace perigee::orb {

class ClientEndpoint;

/// Any thread. There are threads only while there is something to connect to.
class ConnectingThreads final {
 public:
  using Connected = std::expected<std::unique_ptr<transport::Transport>, IoError>;
  using Done = std::move_only_function<void(Connected) noexcept>;

  ConnectingThreads(std::uint32_t threads_max, const Clock& clock) noexcept
      : threads_max_(threads_max), clock_(clock) {}
  ~ConnectingThreads() { stop(); }
  ConnectingThreads(const ConnectingThreads&) = delete;
  ConnectingThreads& operator=(const ConnectingThreads&) = delete;

  /// Connects as soon as a thread is free, until `until` at the latest, and calls `done` on the
  /// thread that did; never after `stop`, which drops what is not done. Throws std::system_error or
  /// bad_alloc if there is no thread at all.
  void connect(std::shared_ptr<ClientEndpoint> endpoint, Deadline until, Done done);
  /// What a call is told whose time is over: the text says so if no thread was free for it.
  [[nodiscard]] IoError timed_out(const ClientEndpoint& endpoint);
  /// Waits for connects that go on. Later ones are dropped.
  void stop() noexcept;

 private:
  struct Wanted {
    std::shared_ptr<ClientEndpoint> endpoint;  // shared with the connection that waits for it
    Deadline until;
    Done done;
  };

  [[nodiscard]] Connected open(const Wanted& wanted) const;
  [[nodiscard]] bool drop_without_thread(const Wanted* own);
  void work() noexcept;
  [[nodiscard]] bool take(Wanted& wanted);

  const std::uint32_t threads_max_;
  const Clock& clock_;
  std::mutex mutex_;  // guards what follows
  std::list<Wanted> wanted_;
  std::uint32_t threads_running_ = 0;
  bool stopped_ = false;
  ThreadScope threads_;  // last: its threads use all the rest
};

}  // namespace perigee::orb
