// The memory of decoded values: the charge of one message to the budget of its ORB.
#pragma once

#include <perigee/base/counted_ptr.h>
#include <perigee/base/export.h>

#include <cstdint>
#include <utility>

namespace perigee::cdr {

/// The budget of one ORB for decoded values. Any thread.
class DecodedBudget {
 public:
  /// False: the budget has no room for `octets` more, and nothing is charged.
  [[nodiscard]] virtual bool try_charge(std::uint64_t octets) noexcept = 0;
  virtual void release(std::uint64_t octets) noexcept = 0;
  /// A reference that keeps the budget alive, for memory that may outlive the ORB. Null: such
  /// memory is not charged.
  [[nodiscard]] virtual counted_ptr<DecodedBudget> share() noexcept = 0;

 protected:
  ~DecodedBudget() = default;
};

/// The charge of one message, released by the destructor. The owner of a decoder owns this object,
/// and keeps it as long as the decoded values exist. This is until the end of an upcall or a
/// deferred reply, or until a caller has decoded the results. Used by one thread at a time. The
/// budget must outlive it.
class DecodedMemory final {
 public:
  DecodedMemory() noexcept = default;
  /// Takes over the charge of `other`. A decoder that uses `other` may charge it again.
  DecodedMemory(DecodedMemory&& other) noexcept
      : budget_(other.budget_), charged_(std::exchange(other.charged_, 0)) {}
  ~DecodedMemory() { release(); }
  DecodedMemory& operator=(DecodedMemory&&) = delete;

  /// Releases the charge. Called when the decoded values are destroyed.
  void release() noexcept {
    if (charged_ != 0) [[unlikely]]
      budget_->release(std::exchange(charged_, 0));
  }

  /// Charges `octets` more. All calls must name the same budget.
  [[nodiscard]] bool try_charge(DecodedBudget& budget, std::uint64_t octets) noexcept {
    if (!budget.try_charge(octets)) return false;
    budget_ = &budget;
    charged_ += octets;
    return true;
  }
  [[nodiscard]] std::uint64_t charged() const noexcept { return charged_; }

 private:
  DecodedBudget* budget_ = nullptr;
  std::uint64_t charged_ = 0;
};

}  // namespace perigee::cdr
