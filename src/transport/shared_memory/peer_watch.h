// Notices that the peer has ended while threads sleep. Private to transport/shared_memory.
#pragma once

#include "event/thread.h"
#include <perigee/event/reactor.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>

namespace perigee::transport::shared_memory {

/// One thread for all connections of a protocol, which starts with the first watch. Threads that
/// sleep in a futex cannot watch the socket of their connection themselves. Any thread.
class PeerWatcher {
 public:
  PeerWatcher() noexcept = default;
  ~PeerWatcher();

  /// Calls a function when the peer has closed the socket. The destructor waits for a running call.
  class Watch;
  /// `ended` returns true if it must be called again a little later. It must not throw, and must
  /// not destroy the watch. Null: the system has no thread or no handle left.
  [[nodiscard]] std::unique_ptr<Watch> watch(int fd, std::move_only_function<bool()> ended);

 private:
  [[nodiscard]] event::Reactor* reactor();

  std::mutex mutex_;  // guards the start
  std::unique_ptr<event::Reactor> reactor_;
  event::Thread thread_;
};

class PeerWatcher::Watch {
 public:
  ~Watch();

  /// Calls the function a little later, as if the peer had ended. Any thread.
  void call_soon() noexcept;

 private:
  friend class PeerWatcher;
  /// The reactor keeps it while a call is under way.
  class Entry;
  Watch(event::Reactor& reactor, std::move_only_function<bool()> ended);

  event::Reactor& reactor_;
  Entry& entry_;
};

}  // namespace perigee::transport::shared_memory
