// Starting and leaving the threads that flush.
#include "engine/connection/output_flusher.h"

namespace perigee::engine {

void OutputFlusher::start(FlushedOutput& output) {
  {
    const std::lock_guard lock(mutex_);
    // The flushing thread checks the output a last time under the mutex, so it sees this output.
    if (output.flushed_by_thread) return;
    output.flushed_by_thread = true;
  }
  try {
    threads_.start([this, &output] {
      for (;;) {
        output.flush_rest();
        const std::lock_guard lock(mutex_);
        if (output.must_be_flushed()) continue;
        output.flushed_by_thread = false;
        ended_.notify_all();
        return;
      }
    });
  } catch (...) {
    const std::lock_guard lock(mutex_);
    output.flushed_by_thread = false;
    ended_.notify_all();
    throw;
  }
}

void OutputFlusher::leave(FlushedOutput& output) noexcept {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&output] { return !output.flushed_by_thread; });
}

}  // namespace perigee::engine
