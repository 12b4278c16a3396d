// The memory budget of a bridge, and the thread that watches messages which are not complete.
#pragma once

#include "engine/memory/budget.h"
#include "engine/memory/mapping_cache.h"
#include "engine/memory/unfinished.h"
#include "event/thread.h"
#include <perigee/base/clock.h>
#include <perigee/messaging/protocol.h>

#include <condition_variable>
#include <memory>
#include <mutex>

namespace perigee::bridge {

/// Thread-safe. The thread of this object sleeps while there is nothing to watch.
class MemoryWatch final {
 public:
  /// Throws std::system_error if the system has no thread left.
  MemoryWatch(const Clock& clock, const messaging::Limits& messages);
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

  [[nodiscard]] engine::UnfinishedMessages& unfinished() noexcept { return unfinished_; }
  [[nodiscard]] const std::shared_ptr<engine::MappingCache>& storage() const noexcept {
    return storage_;
  }

 private:
  bool wake() noexcept;
  void run() noexcept;

  const Clock& clock_;
  const std::shared_ptr<engine::MemoryBudget> budget_;
  const std::shared_ptr<engine::MappingCache> storage_;
  engine::UnfinishedMessages unfinished_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  bool is_due_ = false;
  bool stopped_ = false;
  event::Thread thread_;
};

}  // namespace perigee::bridge
