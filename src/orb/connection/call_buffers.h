// Buffers for encoding requests (and collocated replies), kept per thread so that the steady state
// allocates nothing.
#pragma once

#include <perigee/base/export.h>
#include <perigee/cdr/buffer.h>

namespace perigee::orb {

/// An empty buffer of the calling thread for one call. Nested calls get other buffers. The thread
/// that took the buffer must give it back.
class CallBuffer {
 public:
  PERIGEE_INTERNAL_API CallBuffer();
  PERIGEE_INTERNAL_API ~CallBuffer();
  CallBuffer(const CallBuffer&) = delete;
  CallBuffer& operator=(const CallBuffer&) = delete;

  [[nodiscard]] cdr::Buffer& operator*() noexcept { return *buffer_; }
  [[nodiscard]] cdr::Buffer* operator->() noexcept { return buffer_; }

 private:
  cdr::Buffer* buffer_;  // owned; never null
};

}  // namespace perigee::orb
