// Storage of large messages: mappings of the system, kept for a while so that a stream of messages
// does not pay for fresh pages with each of them.
#pragma once

#include "engine/memory/budget.h"
#include <perigee/base/clock.h>
#include <perigee/messaging/storage.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace perigee::engine {

/// The storage source of one ORB. Messages may give blocks back after the ORB has ended.
class PERIGEE_API MappingCache final : public messaging::StorageSource {
 public:
  struct Limits {
    std::size_t size_max = 64u << 20;            ///< octets of physical memory that are kept
    std::size_t block_max = 0;                   ///< one block above size_max, up to this size
    Duration age_max = std::chrono::seconds(5);  ///< and for how long
  };

  /// `budget` may be null. `clock` must live until `close`.
  MappingCache(const Clock& clock, std::shared_ptr<MemoryBudget> budget,
               const Limits& limits) noexcept
      : clock_(clock), budget_(std::move(budget)), limits_(limits) {}
  ~MappingCache() override { close(); }

  [[nodiscard]] messaging::StorageBlock take(const messaging::StorageNeed& need) noexcept override;
  [[nodiscard]] bool extend(messaging::StorageBlock& block, std::size_t capacity) noexcept override;
  void give_back(const messaging::StorageBlock& block) noexcept override;

  /// `wake` is called when the cache begins to keep something: `trim` has to be called from then
  /// on. Before the cache is used. `wake` must not call the cache.
  void set_wake(std::function<void()> wake) { wake_ = std::move(wake); }
  /// Gives the system what has been kept for too long. True if something is left: call it again.
  [[nodiscard]] bool trim() noexcept;
  /// Keeps nothing from now on.
  void close() noexcept;
  /// Octets of physical memory that are kept now.
  [[nodiscard]] std::size_t kept() const noexcept;

 private:
  struct Kept {
    messaging::StorageBlock block;
    TimePoint since;
  };
  // A block of this many times the announced size stays for a larger message: its taker is charged
  // for all of it.
  static constexpr std::size_t excess_factor = 4;

  [[nodiscard]] messaging::StorageBlock take_kept(const messaging::StorageNeed& need) noexcept;
  [[nodiscard]] bool has_room(std::size_t size) const noexcept;
  [[nodiscard]] std::size_t oldest_in_the_way(std::size_t size) const noexcept;
  [[nodiscard]] bool make_room(std::size_t size) noexcept;
  messaging::StorageBlock remove(std::size_t index) noexcept;

  const Clock& clock_;
  const std::shared_ptr<MemoryBudget> budget_;
  const Limits limits_;
  std::function<void()> wake_;
  mutable std::mutex mutex_;     // guards what follows; system calls are made without it
  std::array<Kept, 32> blocks_;  // the first count_, oldest first
  std::size_t count_ = 0;
  std::size_t kept_ = 0;
  std::size_t large_ = 0;  // of these, the octets of the block above size_max
  bool closed_ = false;
};

}  // namespace perigee::engine
