// Vectors of large sequences: kept for a while, so that the next upcall finds their memory
// resident.
#pragma once

#include "engine/memory/kept_memory.h"
#include "engine/memory/sequence_places.h"
#include <perigee/base/export.h>
#include <perigee/cdr/landed_sequence.h>
#include <perigee/cdr/sequence_memory.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace perigee::engine {

/// The memory for large sequences of one ORB. Any thread.
class PERIGEE_API SequenceCache final : public cdr::SequenceMemory {
 public:
  /// Sequences of more octets than this are received directly into a vector.
  static constexpr std::size_t landed_above = 256 * 1024;

  /// `budget` may be null. `clock` must live until `close`.
  SequenceCache(const Clock& clock, std::shared_ptr<MemoryBudget> budget, const CacheLimits& limits,
                std::size_t land_above = landed_above) noexcept
      : kept_(clock, std::move(budget), limits), land_above_(land_above) {}

  void take(cdr::LargeVector& vector, std::size_t octets) noexcept override;
  void give_back(cdr::LargeVector vector) noexcept override;
  void will_fill(void* memory, std::size_t size) noexcept override;
  void note_place(const cdr::SequencePlace& place) noexcept override { places_.note(place); }
  void forget_place(const cdr::SequencePlace& place) noexcept override { places_.forget(place); }

  /// Returns a kept vector for the sequence that the message probably ends with; null: none.
  /// Nothing is allocated for an announced size.
  [[nodiscard]] std::unique_ptr<cdr::LandedSequence> land(const MessageFront& front) noexcept;

  /// @name The functions of KeptMemory
  /// @{
  void set_wake(std::function<void()> wake) { kept_.set_wake(std::move(wake)); }
  [[nodiscard]] bool trim() noexcept { return kept_.trim(); }
  bool clear() noexcept { return kept_.clear(); }
  void close() noexcept { kept_.close(); }
  [[nodiscard]] std::size_t kept() const noexcept { return kept_.size(); }
  /// @}

 private:
  // A vector of more than this many times the needed size stays in the cache for a larger sequence.
  static constexpr std::size_t excess_factor = 4;

  KeptMemory<cdr::LargeVector> kept_;
  const std::size_t land_above_;
  SequencePlaces places_;
};

}  // namespace perigee::engine
