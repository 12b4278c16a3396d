// Reads that wait until the copy of the names has all changes that etcd had when the reads began.
#pragma once

#include "services/naming_etcd/etcd_options.h"
#include "services/naming_etcd/messages.h"
#include <perigee/services/naming/store.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace perigee::naming::etcd {

/// `add` and `waiting` may be called by any thread. All other functions are used by the store's
/// thread only.
///
/// A read waits in three steps: for a probe that begins after it, for the revision that this probe
/// finds, and until the copy has this revision. All reads that wait share one probe. A read that
/// has waited for `catch_up_time_max` ends without the revision.
class CatchUps {
 public:
  /// `options` lives longer. `wake` makes the store's thread call `take_added` soon.
  CatchUps(const EtcdStoreOptions& options, std::function<void()> wake)
      : options_(options), wake_(std::move(wake)) {}

  /// Calls `done` when the wait is over; at once if too many reads wait. Throws std::bad_alloc:
  /// then the read does not wait, and `done` is not called.
  void add(CaughtUp done);
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }

  void take_added();
  /// Whether a read waits for a probe. If none is in progress, begin one now.
  [[nodiscard]] bool needs_probe() const noexcept {
    return !waits_.empty() && !waits_.back().awaited;
  }
  /// The probe that began at `begin` has found the newest revision.
  void take_probe(TimePoint begin, Revision newest);
  /// No member answers, or no probe says what the copy lacks: all reads that wait end at the next
  /// `step`. Otherwise a read whose revision does not arrive would keep all later reads waiting.
  void give_up();
  /// Ends the waits that are over. `present` is the revision of the copy.
  void step(Revision present);
  void end_all();
  /// The time limit of the oldest read. TimePoint::max(): no read waits.
  [[nodiscard]] TimePoint next_step() const noexcept {
    return waits_.empty() ? TimePoint::max() : waits_.front().begin + options_.catch_up_time_max;
  }

 private:
  struct Wait {
    CaughtUp done;
    TimePoint begin;
    std::optional<Revision> awaited;  ///< what the copy must have; the earlier reads have it first
  };

  /// False if too many reads wait: `done` is unchanged then.
  [[nodiscard]] bool try_add(CaughtUp& done);
  void end_first();

  const EtcdStoreOptions& options_;
  const std::function<void()> wake_;
  std::atomic<std::size_t> waiting_ = 0;
  std::mutex mutex_;  // guards added_
  std::deque<Wait> added_;
  std::deque<Wait> waits_;  // in the order of `begin`; revisions do not become smaller
};

}  // namespace perigee::naming::etcd
