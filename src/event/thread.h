// The only way to create a thread of the ORB: it handles none of the application's signals.
#pragma once

#include <perigee/base/export.h>

#include <functional>
#include <thread>

namespace perigee::event {

/// A thread that blocks all signals from its first instruction on, except the signals of faults
/// (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS), SIGABRT and SIGPROF. Used like std::thread:
/// it must be joined before it is destroyed or assigned to.
class Thread {
 public:
  /// Has no thread.
  Thread() noexcept = default;
  /// Runs `body`, which must not throw. Throws std::system_error if the system has no thread left.
  PERIGEE_INTERNAL_API explicit Thread(std::move_only_function<void()> body);

  [[nodiscard]] bool joinable() const noexcept { return thread_.joinable(); }
  void join() { thread_.join(); }
  void swap(Thread& other) noexcept { thread_.swap(other.thread_); }

 private:
  std::thread thread_;
};

}  // namespace perigee::event
