// The functions of the reader of a connection that its channel calls.
#pragma once

namespace perigee::engine {

/// Reads a connection with Wait::no. The channel may pause the reading when memory is short.
class PausedReader {
 public:
  /// Reading was paused, and may go on. Any thread; must not wait.
  virtual void resume_reading() noexcept = 0;
  /// The channel has tried to send octets that its caller did not pass to it: messages of other
  /// threads, or octets of the transport (Transport::has_output). The output may be blocked. Any
  /// thread; must not wait.
  virtual void after_other_output() noexcept = 0;

 protected:
  ~PausedReader() = default;
};

}  // namespace perigee::engine
