// The functions that append numbers of services to the metrics of an ORB.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

namespace perigee::orb {

struct MetricsSnapshot;

/// Any thread.
class MetricsSources {
 public:
  using Append = std::function<void(MetricsSnapshot&)>;

  /// The function lives until `remove`.
  void add(const Append& append) {
    const std::lock_guard lock(mutex_);
    sources_.push_back(&append);
  }
  /// Waits until no thread executes the function.
  void remove(const Append& append) {
    const std::lock_guard lock(mutex_);
    std::erase(sources_, &append);
  }
  void append_to(MetricsSnapshot& snapshot) {
    const std::lock_guard lock(mutex_);
    for (const Append* source : sources_) (*source)(snapshot);
  }

 private:
  std::mutex mutex_;  // guards the list, and keeps a source while it is executed
  std::vector<const Append*> sources_;
};

}  // namespace perigee::orb
