// A call whose thread sleeps until another thread ends it.
#pragma once

#include "engine/connection/outbound_calls.h"
#include <perigee/base/clock.h>
#include <perigee/base/deadline.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

namespace perigee::engine {

/// On the stack of the calling thread. A call that never enters the table makes no mutex and no
/// condition variable.
class WaitingCall : public OutboundCall {
 public:
  enum class End : std::uint8_t {
    none,
    reply,   ///< the reply is in the call
    failed,  ///< the connection has failed
    leads,   ///< the call's thread holds the read role from now on
  };

  /// Called before the call enters the table. From now on other threads may use the call.
  void share() {
    if (!sleep_) sleep_.emplace();
    sleep_->end = End::none;
    shared_ = true;
  }
  /// The calling thread has taken the call out of the table, or the call never entered the table.
  void unshare() noexcept { shared_ = false; }
  /// Whether another thread may have taken the call out, and will complete it.
  [[nodiscard]] bool is_shared() const noexcept { return shared_; }
  /// Called by the thread that has taken the call out. That thread must not use the call
  /// afterwards.
  void complete(End end) noexcept {
    const std::lock_guard lock(sleep_->mutex);
    sleep_->end = end;
    sleep_->changed.notify_one();
  }
  /// Sleeps until the call is completed, at most until the deadline: then `none`.
  [[nodiscard]] End await(Deadline deadline, const Clock& clock) {
    std::unique_lock lock(sleep_->mutex);
    while (sleep_->end == End::none && !deadline.passed(clock.now())) {
      if (deadline.is_never())
        sleep_->changed.wait(lock);
      else
        (void)sleep_->changed.wait_for(lock,
                                       std::min<Duration>(deadline.left(clock.now()), longest));
    }
    shared_ = sleep_->end == End::none;
    return sleep_->end;
  }

 protected:
  ~WaitingCall() = default;

 private:
  // A condition variable adds the wait to the current time, which must not overflow.
  static constexpr Duration longest = std::chrono::hours(1);

  struct Sleep {
    std::mutex mutex;  // guards `end`
    std::condition_variable changed;
    End end;
  };
  std::optional<Sleep> sleep_;
  bool shared_ = false;  // used by the calling thread only
};

}  // namespace perigee::engine
