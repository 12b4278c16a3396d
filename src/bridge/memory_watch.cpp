// One thread of the bridge checks whether incomplete messages arrive and leave fast enough.
#include "bridge/memory_watch.h"

#include <algorithm>
#include <chrono>

namespace perigee::bridge {

namespace {

constexpr std::chrono::seconds trim_period{1};

// The limits leave room for a message of the largest size and for some other messages.
engine::MemoryBudget::Limits limits_of(const messaging::Limits& messages) noexcept {
  engine::MemoryBudget::Limits limits;
  limits.unfinished = std::max(limits.unfinished, std::uint64_t{4} * messages.message_size_max);
  return limits;
}

}  // namespace

MemoryWatch::MemoryWatch(const Clock& clock, const messaging::Limits& messages)
    : clock_(clock),
      budget_(std::make_shared<engine::MemoryBudget>(limits_of(messages))),
      storage_(std::make_shared<engine::MappingCache>(
          clock, budget_, engine::CacheLimits{.entry_max = messages.message_size_max})),
      unfinished_(clock, budget_, {.pace = {}, .message_size_max = messages.message_size_max},
                  [this] { return wake(); }) {
  unfinished_.set_reclaim([this] { return storage_->clear(); });
  storage_->set_wake([this] { (void)wake(); });
  thread_ = event::Thread([this] { run(); });
}

MemoryWatch::~MemoryWatch() {
  storage_->close();
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool MemoryWatch::wake() noexcept {
  {
    const std::lock_guard lock(mutex_);
    is_due_ = true;
  }
  changed_.notify_all();
  return true;
}

// The watch runs soon enough to resume a paused connection in time.
void MemoryWatch::run() noexcept {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (!is_due_) {
      changed_.wait(lock);
      continue;
    }
    is_due_ = false;
    changed_.wait_for(lock, engine::UnfinishedMessages::paused_period, [this] { return stopped_; });
    for (bool watches = !stopped_; watches;) {
      lock.unlock();
      const TimePoint now = clock_.now();
      const TimePoint next = unfinished_.watch(now);
      const bool keeps_storage = storage_->trim();
      lock.lock();
      watches = !stopped_ && !is_due_ && (keeps_storage || next != TimePoint::max());
      if (!watches) continue;
      const TimePoint until = keeps_storage ? std::min(next, now + trim_period) : next;
      changed_.wait_until(lock, until, [this] { return stopped_ || is_due_; });
      watches = !stopped_ && !is_due_;
    }
  }
}

}  // namespace perigee::bridge
