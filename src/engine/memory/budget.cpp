// Charging and releasing.
#include "engine/memory/budget.h"

#include <utility>

namespace perigee::engine {

MemoryBudget::MemoryBudget(const Limits& limits) noexcept {
  of(Use::unfinished).limit = limits.unfinished;
  of(Use::unsent).limit = limits.unsent;
  of(Use::parked).limit = limits.parked;
  of(Use::decoded).limit = limits.decoded;
  of(Use::opening).limit = limits.opening;
}

bool MemoryBudget::try_charge(Use use, std::uint64_t octets) noexcept {
  Account& account = of(use);
  std::uint64_t before = account.charged.load(std::memory_order_relaxed);
  do {
    if (before + octets > account.limit) return false;
  } while (
      !account.charged.compare_exchange_weak(before, before + octets, std::memory_order_relaxed));
  return true;
}

void MemoryBudget::charge(Use use, std::uint64_t octets) noexcept {
  of(use).charged.fetch_add(octets, std::memory_order_relaxed);
}

void MemoryBudget::release(Use use, std::uint64_t octets) noexcept {
  of(use).charged.fetch_sub(octets, std::memory_order_relaxed);
}

bool Charge::change(std::uint64_t wanted, bool forced) noexcept {
  if (budget_ == nullptr) return true;
  if (wanted <= charged_) {
    budget_->release(use_, charged_ - wanted);
  } else if (forced) {
    budget_->charge(use_, wanted - charged_);
  } else if (!budget_->try_charge(use_, wanted - charged_)) {
    return false;
  }
  charged_ = wanted;
  return true;
}

}  // namespace perigee::engine
