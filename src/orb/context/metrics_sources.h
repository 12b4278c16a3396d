// The functions that append numbers of services to the metrics of an ORB.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
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
    const auto source = std::make_shared<Source>(&append);
    const std::lock_guard lock(mutex_);
    sources_.push_back(source);
  }
  /// Waits until no thread executes the function.
  void remove(const Append& append) {
    std::shared_ptr<Source> source;
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::ranges::find(sources_, &append, &Source::append);
      source = std::move(*found);
      sources_.erase(found);
    }
    const std::lock_guard lock(source->mutex);
    source->append = nullptr;
  }
  void append_to(MetricsSnapshot& snapshot) {
    for (const auto& source : all()) {
      const std::lock_guard lock(source->mutex);
      if (source->append != nullptr) (*source->append)(snapshot);
    }
  }

 private:
  struct Source {
    const Append* append;   // null after `remove`
    std::mutex mutex = {};  // guards `append`; held while the function executes
  };
  using Sources = std::vector<std::shared_ptr<Source>>;

  [[nodiscard]] Sources all() {
    const std::lock_guard lock(mutex_);
    return sources_;
  }

  std::mutex mutex_;  // guards the list; not held while a function executes
  Sources sources_;   // shared with the threads that make a snapshot
};

}  // namespace perigee::orb
