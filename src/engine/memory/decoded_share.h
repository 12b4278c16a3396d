// The share of decoded values in the memory budget of an ORB.
#pragma once

#include "engine/memory/budget.h"
#include <perigee/base/counted_ptr.h>
#include <perigee/cdr/decoded_memory.h>

#include <memory>
#include <utility>

namespace perigee::engine {

/// The budget that the decoders of an ORB charge. Any thread. Made by `make_counted`, since pinned
/// values may outlive the ORB.
class DecodedShare final : public cdr::DecodedBudget, public counted_from_this {
 public:
  explicit DecodedShare(std::shared_ptr<MemoryBudget> budget) noexcept
      : budget_(std::move(budget)) {}

  [[nodiscard]] bool try_charge(std::uint64_t octets) noexcept override {
    return budget_->try_charge(Use::decoded, octets);
  }
  void release(std::uint64_t octets) noexcept override { budget_->release(Use::decoded, octets); }
  [[nodiscard]] counted_ptr<cdr::DecodedBudget> share() noexcept override { return counted(*this); }

 private:
  const std::shared_ptr<MemoryBudget> budget_;
};

}  // namespace perigee::engine
