// SIGTERM and SIGINT as an event that a thread can wait for.
#pragma once

#include <perigee/event/signal.h>

#include <csignal>

namespace perigee::event {

/// While an object of this class exists, the process handles both signals, on whichever thread the
/// system delivers them. The first signal is remembered and gives both signals their default
/// action, so a second signal ends the process at once. The destructor of the last object restores
/// the application's signal handlers.
class EndingSignals {
 public:
  EndingSignals() noexcept;
  ~EndingSignals();
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

  /// False if the system has no handle left.
  explicit operator bool() const noexcept { return caught_; }
  /// Waits for the first signal, which may have come before, or until `over` is raised. Returns
  /// whether a signal came. Unblocks both signals in the calling thread, and leaves them unblocked:
  /// at least one thread of the process must accept the first signal, and the second one during the
  /// shutdown.
  [[nodiscard]] bool wait(const Signal& over) const noexcept;

 private:
  const bool caught_;
};

/// Blocks both signals in the calling thread for a scope, so that they interrupt no system call of
/// an upcall there.
class EndingSignalsBlocked {
 public:
  EndingSignalsBlocked() noexcept;
  ~EndingSignalsBlocked();
  EndingSignalsBlocked(const EndingSignalsBlocked&) = delete;
  EndingSignalsBlocked& operator=(const EndingSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace perigee::event
