// The events that a set of pollables waits for: a source has one event.
#pragma once

#include <perigee/base/function_ref.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace perigee::polling {

/// An object that is told when a source is no longer waiting. The source calls it without a lock.
class Watcher {
 public:
  virtual void settled() noexcept = 0;

 protected:
  ~Watcher() = default;
};

/// The watchers of a source. Guarded by the lock of the source.
class Watchers final {
 public:
  /// Also forgets watchers that no longer exist, whenever the number of watchers has doubled.
  /// Returns the number of watchers that it has looked at, for tests.
  std::size_t add(std::weak_ptr<Watcher> watcher) {
    std::size_t looks = 0;
    if (watchers_.size() >= forget_at_) {
      looks = watchers_.size();
      std::erase_if(watchers_, [](const auto& each) { return each.expired(); });
      forget_at_ = std::max(forget_min, 2 * watchers_.size());
    }
    watchers_.push_back(std::move(watcher));
    return looks;
  }
  /// For `tell`, without the lock.
  [[nodiscard]] std::vector<std::weak_ptr<Watcher>> take() noexcept {
    forget_at_ = forget_min;
    return std::exchange(watchers_, {});
  }
  static void tell(const std::vector<std::weak_ptr<Watcher>>& watchers) noexcept {
    for (const std::weak_ptr<Watcher>& each : watchers)
      if (const std::shared_ptr<Watcher> watcher = each.lock()) watcher->settled();
  }

 private:
  static constexpr std::size_t forget_min = 16;

  std::vector<std::weak_ptr<Watcher>> watchers_;
  std::size_t forget_at_ = forget_min;
};

/// Any thread.
class Source {
 public:
  enum class Stage : std::uint8_t {
    waiting,  ///< the event has not come
    ready,    ///< the event has come
    used_up,  ///< the program, or a reply handler, has taken the event
  };

  Source() noexcept = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  [[nodiscard]] virtual Stage stage() const noexcept = 0;
  /// `watcher` is called once, when the stage changes from `waiting`. False: it is another stage
  /// now, and `watcher` is not called.
  [[nodiscard]] virtual bool watch(std::weak_ptr<Watcher> watcher) = 0;
  /// Waits until `done()`, up to `timeout` milliseconds.
  virtual void wait(function_ref<bool()> done, std::uint32_t timeout) const = 0;
  /// From now on, a change of `stage` lets the threads in `wait` of all sources of the ORB call
  /// `done` again.
  virtual void wake_at_change() const noexcept = 0;
  /// Lets the threads in `wait` call `done` again.
  virtual void wake() const noexcept = 0;
  /// Whether the event belongs to the queue of dynamic requests of the ORB. The answer never
  /// changes.
  [[nodiscard]] virtual bool is_of_queue() const noexcept { return false; }
  /// Whether no call is in progress that could end with the event: the program has to send requests
  /// first. The same for all sources of the queue; false for other sources.
  [[nodiscard]] virtual bool is_idle() const noexcept { return false; }
  /// Identifies the ORB of the source.
  [[nodiscard]] virtual const void* orb() const noexcept = 0;

 protected:
  ~Source() = default;
};

}  // namespace perigee::polling
