// The steps of reads that wait.
#include "services/naming_etcd/catch_ups.h"

#include <utility>

namespace perigee::naming::etcd {

void CatchUps::add(CaughtUp done) {
  if (!try_add(done)) return done();
  wake_();
}

bool CatchUps::try_add(CaughtUp& done) {
  const std::lock_guard lock(mutex_);  // also keeps the order of `begin`
  if (waiting_ >= options_.waiting_max) return false;
  added_.push_back({{}, options_.clock->now(), std::nullopt});
  added_.back().done = std::move(done);
  ++waiting_;  // after push_back, which may throw bad_alloc
  return true;
}

void CatchUps::take_added() {
  const std::lock_guard lock(mutex_);
  for (Wait& wait : added_) waits_.push_back(std::move(wait));
  added_.clear();
}

// A revision that was the newest one after a read began includes all changes before the read.
void CatchUps::take_probe(TimePoint begin, Revision newest) {
  for (Wait& wait : waits_) {
    if (wait.begin > begin) break;
    if (!wait.awaited) wait.awaited = newest;
  }
}

void CatchUps::give_up() {
  for (Wait& wait : waits_) wait.awaited = 0;
}

void CatchUps::step(Revision present) {
  const TimePoint late = options_.clock->now() - options_.catch_up_time_max;
  const auto is_over = [&](const Wait& wait) {
    return wait.begin <= late || (wait.awaited && *wait.awaited <= present);
  };
  while (!waits_.empty() && is_over(waits_.front())) end_first();
}

void CatchUps::end_all() {
  take_added();
  while (!waits_.empty()) end_first();
}

void CatchUps::end_first() {
  CaughtUp done = std::move(waits_.front().done);
  waits_.pop_front();
  --waiting_;
  done();
}

}  // namespace perigee::naming::etcd
