// A collocated call whose servant has deferred its reply: the caller waits here.
#pragma once

#include "orb/connection/invocation_error.h"
#include "orb/serving/cancellation.h"
#include <perigee/base/deadline.h>
#include <perigee/base/octets.h>
#include <perigee/cdr/buffer.h>
#include <perigee/event/signal.h>
#include <perigee/iop/ior.h>
#include <perigee/messaging/message.h>

#include <functional>
#include <mutex>
#include <span>
#include <unordered_set>
#include <vector>

namespace perigee::orb {

struct OrbContext;

/// Service contexts with octets of their own.
class KeptContexts {
 public:
  void assign(std::span<const iop::ServiceContext> contexts);
  [[nodiscard]] std::span<const iop::ServiceContext> get() const noexcept { return contexts_; }

 private:
  Octets octets_;
  std::vector<iop::ServiceContext> contexts_;  // in `octets_`
};

/// Shared by the caller and the replying thread. Either of them may end first.
class CollocatedWait {
 public:
  /// Called once by the replying thread, when `body` is complete.
  void end(messaging::ReplyStatus outcome) noexcept;
  /// Called by the caller instead of waiting. The replying thread calls `then` at the end. `then`
  /// must not throw. False, and `then` is not called, if the reply is complete already.
  [[nodiscard]] bool when_ended(std::move_only_function<void()> then);
  /// Called by the caller: waits until the reply is complete. A thread of a loop serves other
  /// requests meanwhile.
  [[nodiscard]] FailureCause await(const OrbContext& context, Deadline deadline);

  cdr::Buffer body;  ///< used by the replying thread until `end`, then by the caller
  messaging::ReplyStatus status = messaging::ReplyStatus::no_exception;  ///< valid after `end`
  /// The service contexts of the reply, which interceptors have added. Valid after `end`.
  KeptContexts contexts;
  Cancellation cancellation;

 private:
  [[nodiscard]] FailureCause await_on_loop(const OrbContext& context, Deadline deadline);
  [[nodiscard]] FailureCause await_here(const OrbContext& context, Deadline deadline);
  [[nodiscard]] FailureCause drive(const OrbContext& context, Deadline deadline);
  [[nodiscard]] bool ended();

  std::mutex mutex_;  // guards the members below
  bool ended_ = false;
  std::move_only_function<void()> then_;
  event::Signal event_;  // raised at the end, if the caller is on a loop
};

/// The deferred requests of collocated calls. Any thread. Shared by the ORB and by each of these
/// requests, since a request may outlive the ORB.
class CollocatedDeferrals {
 public:
  void add(CollocatedWait& wait);
  void remove(CollocatedWait& wait) noexcept;
  [[nodiscard]] bool empty() const noexcept;
  /// Cancels all present and later requests: their callers no longer wait.
  void cancel() noexcept;

 private:
  mutable std::mutex mutex_;  // guards the members below
  std::unordered_set<CollocatedWait*> deferred_;
  bool cancelled_ = false;
};

}  // namespace perigee::orb
