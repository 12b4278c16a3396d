// A collocated call whose servant answers later: the caller waits here.
#pragma once

#include "orb/connection/invocation_error.h"
#include "orb/serving/cancellation.h"
#include <perigee/base/deadline.h>
#include <perigee/cdr/buffer.h>
#include <perigee/event/signal.h>
#include <perigee/messaging/message.h>

#include <functional>
#include <mutex>
#include <unordered_set>

namespace perigee::orb {

struct OrbContext;

/// Shared by the caller and by who answers, of whom either may be gone first.
class CollocatedWait {
 public:
  /// Who answers: `body` is complete. Once.
  void end(messaging::ReplyStatus outcome) noexcept;
  /// The caller, instead of waiting: `then`, which must not throw, is called at the end, by who
  /// answers. False, and not called, if that has been.
  [[nodiscard]] bool when_ended(std::move_only_function<void()> then);
  /// The caller: until there is an answer; on the thread of a loop others are served meanwhile.
  [[nodiscard]] FailureCause await(const OrbContext& context, Deadline deadline);

  cdr::Buffer body;  ///< of who answers until `end`, then of the caller
  messaging::ReplyStatus status = messaging::ReplyStatus::no_exception;  ///< valid after `end`
  Cancellation cancellation;

 private:
  [[nodiscard]] FailureCause await_on_loop(const OrbContext& context, Deadline deadline);
  [[nodiscard]] FailureCause await_here(const OrbContext& context, Deadline deadline);
  [[nodiscard]] FailureCause drive(const OrbContext& context, Deadline deadline);
  [[nodiscard]] bool ended();

  std::mutex mutex_;  // guards what follows
  bool ended_ = false;
  std::move_only_function<void()> then_;
  event::Signal event_;  // raised at the end, if the caller is on a loop
};

/// The requests of collocated calls that are to be answered later. Any thread. Shared by the ORB
/// and by each of them, which may outlive it.
class CollocatedDebts {
 public:
  void add(CollocatedWait& wait);
  void remove(CollocatedWait& wait) noexcept;
  [[nodiscard]] bool empty() const noexcept;
  /// Tells who is to answer, now or later, that nobody waits.
  void cancel() noexcept;

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::unordered_set<CollocatedWait*> owed_;
  bool cancelled_ = false;
};

}  // namespace perigee::orb
