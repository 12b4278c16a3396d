// Storage of large messages: memory mappings. They are kept for a while, so that a stream of
// messages does not pay for fresh pages each time.
#pragma once

#include "engine/memory/kept_memory.h"
#include <perigee/messaging/storage.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace perigee::engine {

/// The storage source of one ORB. Messages may give blocks back after the ORB has ended.
class PERIGEE_API MappingCache final : public messaging::StorageSource {
 public:
  using Limits = CacheLimits;

  /// `budget` may be null. `clock` must live until `close`.
  MappingCache(const Clock& clock, std::shared_ptr<MemoryBudget> budget,
               const Limits& limits) noexcept
      : kept_(clock, std::move(budget), in_whole_pages(limits)) {}

  [[nodiscard]] messaging::StorageBlock take(const messaging::StorageNeed& need) noexcept override;
  [[nodiscard]] bool extend(messaging::StorageBlock& block, std::size_t capacity) noexcept override;
  void use_large_pages(messaging::StorageBlock& block) noexcept override;
  void give_back(const messaging::StorageBlock& block) noexcept override;

  /// @name The functions of KeptMemory
  /// @{
  void set_wake(std::function<void()> wake) { kept_.set_wake(std::move(wake)); }
  [[nodiscard]] bool trim() noexcept { return kept_.trim(); }
  bool clear() noexcept { return kept_.clear(); }
  void close() noexcept { kept_.close(); }
  [[nodiscard]] std::size_t kept() const noexcept { return kept_.size(); }
  /// @}

 private:
  // A block of more than this many times the announced size stays in the cache for a larger
  // message, because the user of a block is charged for the whole block.
  static constexpr std::size_t excess_factor = 4;

  /// Owns a block. Its destructor unmaps the block.
  class Mapping {
   public:
    Mapping() noexcept = default;
    explicit Mapping(const messaging::StorageBlock& block) noexcept : block_(block) {}
    Mapping(Mapping&& other) noexcept : block_(other.release()) {}
    Mapping& operator=(Mapping&& other) noexcept {
      std::swap(block_, other.block_);
      return *this;
    }
    ~Mapping();
    [[nodiscard]] messaging::StorageBlock release() noexcept { return std::exchange(block_, {}); }

   private:
    messaging::StorageBlock block_;
  };

  [[nodiscard]] static Limits in_whole_pages(Limits limits) noexcept;
  [[nodiscard]] messaging::StorageBlock take_kept(const messaging::StorageNeed& need) noexcept;

  KeptMemory<Mapping> kept_;
};

}  // namespace perigee::engine
