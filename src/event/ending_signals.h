// SIGTERM, SIGINT and SIGHUP as events that a thread can wait for.
#pragma once

#include <perigee/base/export.h>
#include <perigee/event/signal.h>

#include <csignal>
#include <cstdint>

namespace perigee::event {

/// Whether SIGHUP is an event, too, which asks the process to read its files again. Otherwise the
/// application decides what SIGHUP does.
enum class HangUp : bool { by_application, is_event };

/// While an object of this class exists, the process handles SIGTERM and SIGINT, on whichever
/// thread the system delivers them. The first signal is remembered and gives both signals their
/// default action, so a second signal ends the process at once. The destructor of the last object
/// restores the application's signal handlers.
///
/// With HangUp::is_event, the process also handles SIGHUP, unless the application handles or
/// ignores it.
class PERIGEE_INTERNAL_API EndingSignals {
 public:
  explicit EndingSignals(HangUp hang_up = HangUp::by_application) noexcept;
  ~EndingSignals();
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

  /// False if the system has no handle left.
  explicit operator bool() const noexcept { return caught_; }
  enum class Event : std::uint8_t { over, ending, hang_up };
  /// Waits for the first signal, which may have come before, or until `over` is raised. Unblocks
  /// the signals in the calling thread, and leaves them unblocked: at least one thread of the
  /// process must accept the first signal, and the second one during the shutdown. If several
  /// threads wait, SIGHUP is an event of one of them, and the other signals are events of all.
  [[nodiscard]] Event wait(const Signal& over) const noexcept;

 private:
  const bool caught_;
};

/// Blocks SIGTERM and SIGINT in the calling thread for a scope, so that these signals do not
/// interrupt the system calls of an upcall.
class PERIGEE_INTERNAL_API EndingSignalsBlocked {
 public:
  EndingSignalsBlocked() noexcept;
  ~EndingSignalsBlocked();
  EndingSignalsBlocked(const EndingSignalsBlocked&) = delete;
  EndingSignalsBlocked& operator=(const EndingSignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace perigee::event
