// Memory that is kept for a while after its use, so that the next user finds it resident. All
// caches of an ORB use these rules: how much they keep, for how long, and how the budget is
// charged.
#pragma once

#include "engine/memory/budget.h"
#include <perigee/base/clock.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace perigee::engine {

struct CacheLimits {
  std::size_t size_max = 64u << 20;            ///< octets of physical memory that are kept
  std::size_t entry_max = 0;                   ///< one more entry may have up to this size
  Duration age_max = std::chrono::seconds(5);  ///< `trim` frees entries of this age
};

/// Entries are movable, and free their memory when they are destroyed. No entry is destroyed under
/// the lock, because freeing memory may take long. Any thread.
///
/// A stream may consist of messages that are all larger than the cache. So one entry above
/// `size_max` is kept in addition to the smaller entries.
template <typename Entry>
class KeptMemory {
 public:
  struct Kept {
    Entry entry;
    std::size_t size = 0;  ///< 0: there is no entry
    TimePoint since;
  };

  /// `budget` may be null. `clock` must live until `close`.
  KeptMemory(const Clock& clock, std::shared_ptr<MemoryBudget> budget,
             const CacheLimits& limits) noexcept
      : clock_(clock), budget_(std::move(budget)), limits_(limits) {}
  ~KeptMemory() { close(); }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  /// `wake` is called when the first entry is kept: the owner has to call `trim` from then on.
  /// `wake` runs under the lock, so it must not call this object. Call `set_wake` before any use.
  void set_wake(std::function<void()> wake) { wake_ = std::move(wake); }
  /// The largest entry that can be kept.
  [[nodiscard]] std::size_t entry_size_max() const noexcept {
    return limits_.size_max == 0 ? 0 : std::max(limits_.size_max, limits_.entry_max);
  }

  /// Takes the best entry. `better(kept, best)` compares an entry with the best one so far, whose
  /// size is 0 if there is none yet. Of equal entries, the newest is taken: the caches of the
  /// processor may still hold its octets.
  template <typename Better>
  [[nodiscard]] Kept take(const Better& better) noexcept {
    const Kept none;
    const std::lock_guard lock(mutex_);
    std::size_t best = count_;
    for (std::size_t index = count_; index-- > 0;)
      if (better(entries_[index], best == count_ ? none : entries_[best])) best = index;
    return best == count_ ? Kept() : remove(best);
  }

  /// Keeps an entry, if the limits and the budget allow it. Frees older entries to make room for
  /// it.
  void keep(Entry entry, std::size_t size) noexcept {
    if (size == 0 || size > entry_size_max() || !make_room(size)) return;
    const std::lock_guard lock(mutex_);
    if (closed_ || !has_room(size)) return;
    if (budget_ != nullptr && !budget_->try_charge(Use::unfinished, size)) return;
    entries_[count_++] = {std::move(entry), size, clock_.now()};
    size_ += size;
    if (size > limits_.size_max) large_ = size;
    if (count_ == 1 && wake_) wake_();
  }

  /// Frees the entries that are too old. True if entries are left: call it again later.
  [[nodiscard]] bool trim() noexcept {
    while (take_oldest(limits_.age_max).size != 0) continue;
    return size() != 0;
  }
  /// Frees all entries. True if there was one.
  bool clear() noexcept {
    bool freed = false;
    while (take_oldest(Duration::zero()).size != 0) freed = true;
    return freed;
  }
  /// Keeps nothing from now on.
  void close() noexcept {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    clear();
  }
  /// Octets that are kept now.
  [[nodiscard]] std::size_t size() const noexcept {
    const std::lock_guard lock(mutex_);
    return size_;
  }

 private:
  // Expects mutex_ to be held.
  [[nodiscard]] bool has_room(std::size_t size) const noexcept {
    if (count_ == entries_.size()) return false;
    if (size > limits_.size_max) return large_ == 0;
    return size_ - large_ + size <= limits_.size_max;
  }
  // Expects mutex_ to be held. If `size` is above `size_max`, returns the index of the oldest entry
  // above `size_max`; otherwise the index of the oldest other entry. `count_`: there is no such
  // entry.
  [[nodiscard]] std::size_t oldest_in_the_way(std::size_t size) const noexcept {
    const bool is_large = size > limits_.size_max;
    std::size_t index = 0;
    while (index < count_ && (entries_[index].size > limits_.size_max) != is_large) ++index;
    return index;
  }
  // Frees the oldest entries until another one of this size fits.
  [[nodiscard]] bool make_room(std::size_t size) noexcept {
    for (;;) {
      Kept oldest;
      const std::lock_guard lock(mutex_);
      if (closed_) return false;
      if (has_room(size)) return true;
      const std::size_t index = oldest_in_the_way(size);
      oldest = remove(index < count_ ? index : 0);
    }
  }
  // Removes the oldest entry if its age is at least `age`. Otherwise returns an empty entry.
  [[nodiscard]] Kept take_oldest(Duration age) noexcept {
    const std::lock_guard lock(mutex_);
    const bool is_due = count_ != 0 && clock_.now() - entries_[0].since >= age;
    return is_due ? remove(0) : Kept();
  }
  // Expects mutex_ to be held.
  Kept remove(std::size_t index) noexcept {
    Kept removed = std::move(entries_[index]);
    const auto place = entries_.begin() + static_cast<std::ptrdiff_t>(index);
    std::move(place + 1, entries_.begin() + static_cast<std::ptrdiff_t>(count_), place);
    entries_[--count_] = Kept();
    size_ -= removed.size;
    if (removed.size > limits_.size_max) large_ = 0;
    if (budget_ != nullptr) budget_->release(Use::unfinished, removed.size);
    return removed;
  }

  const Clock& clock_;
  const std::shared_ptr<MemoryBudget> budget_;
  const CacheLimits limits_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;      // guards the members below
  std::array<Kept, 32> entries_;  // the first count_, oldest first
  std::size_t count_ = 0;
  std::size_t size_ = 0;
  std::size_t large_ = 0;  // of these, the octets of the entry above size_max
  bool closed_ = false;
};

}  // namespace perigee::engine
