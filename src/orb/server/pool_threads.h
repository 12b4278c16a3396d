// The threads of a pool: N that serve, and spare ones for those that wait in calls of their own.
#pragma once

#include "orb/connection/thread_scope.h"
#include "orb/server/pool_task.h"
#include <perigee/event/shared_poll.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace perigee::orb {

struct PoolSize {
  std::uint32_t threads = 1;
  std::uint32_t spares_max = 32;
  std::size_t read_buffer_size = 64 * 1024;      ///< octets, per thread
  std::chrono::milliseconds spare_kept{10'000};  ///< how long a spare one lives without work
};

/// Any thread. A thread that has to wait in a call out of an upcall says so before; if no other is
/// left to serve then, a spare one begins. When more than N serve, the next to be idle steps back
/// and is the spare one for next time.
///
/// Invariant: at least one thread serves, unless all threads have ended.
class PoolThreads final {
 public:
  /// `poll` must outlive it.
  PoolThreads(event::SharedPoll& poll, const PoolSize& size) noexcept : poll_(poll), size_(size) {}
  ~PoolThreads() { join(); }

  /// False if not one thread is to be had.
  [[nodiscard]] bool start() noexcept;
  /// After the poll was stopped: waits for all upcalls and threads.
  void join() noexcept;

  /// Whether the caller is a thread of this pool.
  [[nodiscard]] bool on_thread() const noexcept;
  /// By a thread of the pool, in an upcall. False if nobody else would serve meanwhile, and as many
  /// spare threads are used as may be.
  [[nodiscard]] bool begin_wait() noexcept;
  void end_wait() noexcept;

  /// Threads that serve or are ready to.
  [[nodiscard]] std::uint32_t serving_count() const noexcept { return serving_count_.load(); }
  /// All threads: those that wait in calls and the spare ones, too.
  [[nodiscard]] std::uint32_t thread_count() const noexcept;

 private:
  void run_thread() noexcept;
  void serve();
  [[nodiscard]] bool step_back();
  [[nodiscard]] bool call_spare() noexcept;
  [[nodiscard]] bool start_thread() noexcept;

  event::SharedPoll& poll_;
  const PoolSize size_;
  std::atomic<std::uint32_t> serving_count_{0};  // changes under the mutex

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable wanted_;
  std::uint32_t thread_count_ = 0;
  std::uint32_t spare_count_ = 0;
  std::uint32_t wanted_count_ = 0;  // spare ones that were called and have not noticed yet
  bool stopping_ = false;

  ThreadScope threads_;  // last: its threads use all the rest
};

}  // namespace perigee::orb
