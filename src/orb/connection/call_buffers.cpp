// A small stack of buffers per thread.
#include "orb/connection/call_buffers.h"

#include <array>
#include <cstddef>
#include <memory>

namespace perigee::orb {

namespace {

constexpr std::size_t buffers_kept_max = 4;                // only deeper nested calls allocate
constexpr std::size_t buffer_size_kept_max = 1024 * 1024;  // larger ones are freed

// Without a destructor, so that calls may still be made when the thread's other objects are
// destroyed. On the main thread, destructors of static objects make such calls.
struct ThreadBuffers {
  std::array<cdr::Buffer*, buffers_kept_max> kept;  // owned
  std::size_t count;
  bool ended;  // keep no more buffers
};
constinit thread_local ThreadBuffers thread_buffers{};

struct AtThreadEnd {
  ~AtThreadEnd() {
    thread_buffers.ended = true;
    while (thread_buffers.count > 0) delete thread_buffers.kept[--thread_buffers.count];
  }
};

}  // namespace

CallBuffer::CallBuffer() {
  ThreadBuffers& buffers = thread_buffers;
  if (buffers.count > 0) {
    buffer_ = buffers.kept[--buffers.count];
    return;
  }
  if (!buffers.ended) {
    thread_local const AtThreadEnd at_thread_end;
  }
  buffer_ = new cdr::Buffer;
}

CallBuffer::~CallBuffer() {
  std::unique_ptr<cdr::Buffer> buffer(buffer_);
  ThreadBuffers& buffers = thread_buffers;
  if (buffers.ended || buffers.count == buffers_kept_max ||
      buffer->own_size() > buffer_size_kept_max)
    return;
  buffer->clear();
  buffers.kept[buffers.count++] = buffer.release();
}

}  // namespace perigee::orb
