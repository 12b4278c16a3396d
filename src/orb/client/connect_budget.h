// The time that one call may spend on connecting, to all its addresses together.
#pragma once

#include <perigee/base/clock.h>

#include <algorithm>
#include <chrono>

namespace perigee::orb {

/// The budget of one call, on the caller's stack.
class ConnectBudget {
 public:
  /// `limit`: zero for none.
  explicit ConnectBudget(std::chrono::milliseconds limit) noexcept
      : is_limited_(limit > limit.zero()), left_(limit) {}

  [[nodiscard]] bool is_limited() const noexcept { return is_limited_; }
  /// The time that is left. Called only if it is limited.
  [[nodiscard]] Duration left() const noexcept { return std::max(left_, Duration::zero()); }
  [[nodiscard]] bool is_spent() const noexcept { return is_limited_ && left_ <= Duration::zero(); }
  void spend(Duration time) noexcept { left_ -= time; }

 private:
  bool is_limited_;
  Duration left_;
};

/// Subtracts its own lifetime from a budget.
class ConnectTime {
 public:
  /// `budget`: null for none. Both outlive the object.
  ConnectTime(ConnectBudget* budget, const Clock& clock)
      : budget_(budget), clock_(clock), start_(clock.now()) {}
  ~ConnectTime() {
    if (budget_ != nullptr) budget_->spend(clock_.now() - start_);
  }
  ConnectTime(const ConnectTime&) = delete;
  ConnectTime& operator=(const ConnectTime&) = delete;

 private:
  ConnectBudget* budget_;
  const Clock& clock_;
  const TimePoint start_;
};

}  // namespace perigee::orb
