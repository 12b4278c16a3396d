// The functions that append metrics of services to the metrics of an ORB.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

namespace perigee::orb {

struct MetricsSnapshot;

/// Any thread. A function may add and remove other sources, because no lock is held while it
/// executes.
class MetricsSources {
 public:
  using Append = std::function<void(MetricsSnapshot&)>;

  /// The function lives until `remove`.
  void add(const Append& append) {
    const std::lock_guard lock(mutex_);
    const auto free = std::ranges::find(sources_, nullptr);
    if (free != sources_.end())
      *free = &append;
    else
      sources_.push_back(&append);
  }
  /// Waits until no thread executes the function.
  void remove(const Append& append) {
    std::unique_lock lock(mutex_);
    *std::ranges::find(sources_, &append) = nullptr;
    while (running_ == &append) ended_.wait(lock);
  }
  /// Executes one function at a time, also if several threads make snapshots.
  void append_to(MetricsSnapshot& snapshot) {
    std::unique_lock lock(mutex_);
    for (std::size_t index = 0; index < sources_.size(); ++index) {
      while (running_ != nullptr) ended_.wait(lock);
      if (sources_[index] == nullptr) continue;
      const Append& append = *(running_ = sources_[index]);
      lock.unlock();
      append(snapshot);
      lock.lock();
      running_ = nullptr;
      ended_.notify_all();
    }
  }

 private:
  std::mutex mutex_;                    // guards all members
  std::vector<const Append*> sources_;  // null: removed; the places of the others do not change
  const Append* running_ = nullptr;     // the function that a thread executes
  std::condition_variable ended_;       // `running_` has become null
};

}  // namespace perigee::orb
