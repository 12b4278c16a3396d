// Threads that send the octets that blocking callers have left in the queues of their connections.
#pragma once

#include "event/thread_scope.h"

#include <condition_variable>
#include <mutex>

namespace perigee::engine {

/// The output of a connection that no event loop flushes.
class FlushedOutput {
 public:
  /// Sends until nothing is left, or the output has failed.
  virtual void flush_rest() noexcept = 0;
  [[nodiscard]] virtual bool must_be_flushed() const noexcept = 0;

  bool flushed_by_thread = false;  ///< of the flusher, under its mutex

 protected:
  ~FlushedOutput() = default;
};

/// One thread for each connection whose peer does not take its output now. Such a connection has a
/// blocking caller, or a thread of its own. So there are no more flushing threads than such callers
/// and threads. Any thread.
class OutputFlusher final {
 public:
  /// Starts a thread that flushes `output`, unless a thread flushes it already. Throws if the
  /// system has no thread left.
  void start(FlushedOutput& output);
  /// Waits until no thread flushes `output`.
  void leave(FlushedOutput& output) noexcept;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  event::ThreadScope threads_;  // last: its threads use the other members
};

}  // namespace perigee::engine
