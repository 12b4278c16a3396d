// The reader of a connection, as its channel sees it.
#pragma once

namespace perigee::engine {

/// Reads a connection with Wait::no. Memory pressure may pause it.
class PausedReader {
 public:
  /// Reading was paused, and may go on. Any thread; must not wait.
  virtual void resume_reading() noexcept = 0;
  /// Octets of the transport's own, or messages of other threads, were sent or are blocked. Any
  /// thread; must not wait.
  virtual void after_other_output() noexcept = 0;

 protected:
  ~PausedReader() = default;
};

}  // namespace perigee::engine
