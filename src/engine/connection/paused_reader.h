// The reader of a connection that memory pressure may pause.
#pragma once

namespace perigee::engine {

/// Reads a connection with Wait::no.
class PausedReader {
 public:
  /// Reading was paused, and may go on. Any thread; must not wait.
  virtual void resume_reading() noexcept = 0;

 protected:
  ~PausedReader() = default;
};

}  // namespace perigee::engine
